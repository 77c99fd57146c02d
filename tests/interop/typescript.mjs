// Mints and verifies with the official TypeScript SDK's codec: one line of JSON in, one out. Payloads are JSON texts.
import { createInterface } from 'node:readline';
import { createRequestStateCodec } from '@modelcontextprotocol/server';

async function answer({ key, binding, mint, verify, ttl }) {
    const bind = binding === null ? undefined : () => binding;
    const codec = createRequestStateCodec({ key: Uint8Array.from(key), ttlSeconds: ttl ?? 600, bind });
    try {
        if (verify !== undefined) {
            const payload = await codec.verify(verify, {});
            return { payload: payload === undefined ? '' : JSON.stringify(payload) };
        }
        return { token: await codec.mint(mint === '' ? undefined : JSON.parse(mint), {}) };
    } catch (error) {
        return { error: error.message };
    }
}

for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await answer(JSON.parse(line))) + '\n');
}
