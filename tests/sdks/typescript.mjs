// The verdicts of the official TypeScript SDK: requests as lines of JSON on stdin, verdicts as lines on stdout.
//
// Two verdicts for each: `entry`, what its HTTP handler answers where it serves no legacy peers, and `route`, how its
// classifier routes the request where it does.
import { createInterface } from 'node:readline';
import { classifyInboundRequest, createMcpHandler, Server } from '@modelcontextprotocol/server';

const factory = () => {
    const capabilities = { tools: {}, prompts: {}, resources: {}, logging: {} };
    const server = new Server({ name: 's', version: '1' }, { capabilities });
    server.fallbackRequestHandler = async () => ({ content: [], contents: [], messages: [], tools: [], prompts: [], resources: [] });
    return server;
};
const handler = createMcpHandler(factory, { legacy: 'reject', responseMode: 'json', onerror: () => {} });

function headersOf(pairs) {
    const headers = new Headers();
    for (const [name, value] of pairs) headers.append(name, value);
    return headers;
}

async function entry({ headers, body }) {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: headersOf(headers), body });
    const response = await handler.fetch(request);
    const text = await response.text();
    let code = null;
    try {
        code = JSON.parse(text).error?.code ?? null;
    } catch {
        // no JSON, no code
    }
    return { status: response.status, code };
}

function route({ headers, body }) {
    const all = headersOf(headers);
    let parsed;
    try {
        parsed = JSON.parse(body);
    } catch {
        return { kind: 'reject', code: -32700 };
    }
    const value = name => all.get(name) ?? undefined;
    const { kind, code } = classifyInboundRequest({
        httpMethod: 'POST',
        protocolVersionHeader: value('mcp-protocol-version'),
        mcpMethodHeader: value('mcp-method'),
        mcpNameHeader: value('mcp-name'),
        body: parsed
    });
    return { kind, code: code ?? null };
}

for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    process.stdout.write(JSON.stringify({ entry: await entry(request), route: route(request) }) + '\n');
}
