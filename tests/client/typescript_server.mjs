// A server on the official TypeScript SDK: a tool that asks as often as it is told to. Prints its port.
import { createServer } from 'node:http';
import { acceptedContent, createMcpHandler, createRequestStateCodec, inputRequired, McpServer } from '@modelcontextprotocol/server';

const codec = createRequestStateCodec({ key: new Uint8Array(32).fill(7), ttlSeconds: 600 });
const requestedSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };

function desk(rounds) {
    const server = new McpServer({ name: 'typescript', version: '1' }, { requestState: { verify: codec.verify } });
    server.registerTool('collect', {}, async ctx => {
        const { words } = ctx.mcpReq.requestState() ?? { words: [] };
        const content = acceptedContent(ctx.mcpReq.inputResponses, `q${words.length}`);
        if (content !== undefined) words.push(content.word);
        if (words.length === rounds) return { content: [{ type: 'text', text: words.join(' ') }] };
        return inputRequired({
            inputRequests: { [`q${words.length}`]: inputRequired.elicit({ message: 'A word?', requestedSchema }) },
            requestState: await codec.mint({ words }, ctx),
        });
    });
    return server;
}

const http = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url, 'http://127.0.0.1');
    const handler = createMcpHandler(() => desk(Number(url.searchParams.get('rounds'))), { legacy: 'reject' });
    const answer = await handler.fetch(new Request(url, {
        method: request.method,
        headers: request.headers,
        body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
    }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
    await handler.close();
});
http.listen(0, '127.0.0.1', () => console.log(http.address().port));
