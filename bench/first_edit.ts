/** The edit that the model likes best. */
import { EditCandidates } from '../core/edit/edit_candidates';
import type { EditParts, EditProposal, EditRequest } from '../core/edit/edit_proposal';

export async function firstEdit(
  parts: EditParts,
  request: EditRequest,
  signal = new AbortController().signal,
): Promise<EditProposal> {
  const candidates = new EditCandidates(parts, request);
  const proposal = await candidates.next(signal);
  candidates.close();
  return proposal;
}
