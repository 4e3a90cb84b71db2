/** What is remembered of the requests of a session. */
import { expect, it } from 'vitest';
import { nothing } from '../../core/completion/outcome';
import type { FinishedRequest } from '../../extension/completion/provider';
import { SessionRequests } from '../../extension/session_requests';

it.each([
  ['another', 'return price'],
  ['the', undefined],
])('of %s document that is closed no text, but why nothing came', (which, text) => {
  const requests = new SessionRequests();
  const outcome = { ...nothing('low_confidence'), text: 'return price' };
  const request = { uri: 'the', languageId: 'python', outcome, others: [outcome] };
  requests.add(request as unknown as FinishedRequest);
  requests.forget(which);
  for (const kept of [requests.last, requests.lastDecided]) {
    expect(kept?.outcome.reason).toBe('low_confidence');
    expect([kept?.outcome.text, kept?.others[0]?.text]).toEqual([text ?? '', text]);
  }
});
