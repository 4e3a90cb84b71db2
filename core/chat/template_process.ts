/** The process in which a template is rendered, bundled by itself with the library that does: neither is loaded before somebody asks. */
import { Worker } from 'node:worker_threads';
import type { LimitedOrder } from './render_messages';
import { renderedText } from './template_text';

process.once('message', ({ limitMs, ...order }: LimitedOrder) => {
  // A template that never ends holds this thread, which then does not see that whoever asked is gone: another one ends the process.
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${limitMs})`, { eval: true }).unref();
  process.send?.(renderedText(order), () => process.exit());
});
// Whoever asked is gone, and so is the use of an answer.
process.once('disconnect', () => process.exit());
