/** Edits that go on for most of a minute, each of which cancels what runs. */
import type { EmberlineApi } from '../../../extension/api';
import { editsCancel, takeLong, takeNoLonger } from '../suite/cancelled_edits';
import { readyApi } from '../suite/workbench';

const EDITS = 200;

suite('cancellation', () => {
  let api: EmberlineApi;

  suiteSetup(async () => {
    api = await readyApi();
    await takeLong();
  });
  suiteTeardown(takeNoLonger);

  test(`${EDITS} edits cancel what runs, and only the last version is completed`, async function () {
    this.timeout(180_000);
    await editsCancel(api, EDITS);
  });
});
