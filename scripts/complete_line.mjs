/**
 * Loads the addon of an unpacked package and completes a line with the embedded model, with nothing but Node: what
 * check_platforms.mjs runs in the Node.js of other platforms.
 *   node scripts/complete_line.mjs FOLDER MODEL    (prints what came out as JSON, or fails)
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder = '.', model = ''] = process.argv.slice(2);

/** @param {{ ok: boolean, value?: any, error?: { code: string, message: string } }} result */
function valueOf(result) {
  if (!result.ok) throw new Error(`${result.error?.code}: ${result.error?.message}`);
  return result.value;
}

async function main() {
  const addon = createRequire(import.meta.url)(join(folder, 'dist', 'native', 'emberline.node'));
  const loaded = valueOf(
    await addon.loadModel({ path: join(folder, 'models', model), threads: 2, device: 'cpu' }),
  );
  const session = valueOf(await loaded.createSession({ context: 64 }));
  const { text, ids, stop } = valueOf(
    await session.complete({
      id: 1,
      prompt: 'def add(a, b):\n    return',
      parseSpecial: false,
      requiredPrefix: '',
      maxTokens: 6,
      singleLine: true,
      banBlankStart: true,
      leastConfidence: 0,
      sampling: { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, penaltyWindow: 64, seed: 0 },
      drafting: { lookup: false, model: false, adaptive: true, most: 8 },
      references: [],
      remembered: 0,
      rememberedBeside: 0,
      lead: new Uint32Array(),
      barred: new Uint32Array(),
    }),
  );
  const { device } = loaded.info();
  await session.close();
  await loaded.close();
  const host = { platform: process.platform, arch: process.arch, node: process.version };
  console.log(JSON.stringify({ ...host, device, text, ids: [...ids], stop }));
}

await main();
