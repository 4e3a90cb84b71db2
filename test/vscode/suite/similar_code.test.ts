import * as assert from 'node:assert';
import type { EmberlineApi } from '../../../extension/api';
import { ask, closeEditors, edit, readyApi, set } from './workbench';

const PRICES = `def total_price(order, discount):
    return order.price - discount.amount

def order_price(order, discount):
    return total_price(order, discount) * order.count
`;
const ORDER = 'order = read_order()\ndiscount = order.discount\nprice = |';

suite('code of other files', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
  });
  teardown(async () => {
    await set('emberline.completion.similarCode', undefined);
    await closeEditors();
  });

  async function promptTokens(choice: string): Promise<number> {
    await set('emberline.completion.similarCode', choice);
    await edit(`${PRICES}|`);
    const { document, selection } = await edit(ORDER);
    const { request } = await ask(api, { document, position: selection.active });
    assert.strictEqual(request.outcome.source, 'model');
    return request.outcome.timings.promptTokens;
  }

  test('is read where it resembles what stands around the cursor, unless the setting says never', async () => {
    const alone = await promptTokens('never');
    await closeEditors();
    const beside = await promptTokens('auto');
    // Both functions, and the path line before them.
    assert.ok(beside > alone + 30, `${beside} tokens with other files, ${alone} without`);
  });
});
