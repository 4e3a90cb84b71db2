/** What a user looks through, one at a time: forth, back, and what is new comes last. */
export class CandidateList<Candidate> {
  private readonly all: Candidate[] = [];
  private at = -1;

  get count(): number {
    return this.all.length;
  }

  /** Of the one that is looked at, from 0; -1: there is none. */
  get index(): number {
    return this.at;
  }

  get current(): Candidate | undefined {
    return this.all[this.at];
  }

  /** Adds one, which is then looked at. */
  add(candidate: Candidate): void {
    this.at = this.all.push(candidate) - 1;
  }

  /** False at the last one. */
  forth(): boolean {
    if (this.at + 1 >= this.all.length) return false;
    this.at++;
    return true;
  }

  /** False at the first one. */
  back(): boolean {
    if (this.at <= 0) return false;
    this.at--;
    return true;
  }
}
