/** A failure that needs no stack trace: its message is one sentence that names what is missing or went wrong. */
export class Failure extends Error {
  /**
   * @param {string} message
   * @param {string} [log] path of the file that holds the output of what failed
   */
  constructor(message, log) {
    super(message);
    this.name = 'Failure';
    this.log = log;
  }
}

/** What was running when this command was told to end. No failure: what goes on behind one ends here. */
export class Interrupted extends Error {
  constructor() {
    super('Interrupted.');
    this.name = 'Interrupted';
  }
}
