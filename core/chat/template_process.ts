/** The process in which a template is rendered, bundled by itself with the library that does: neither is loaded before somebody asks. */
import type { RenderOrder } from './render_messages';
import { renderedText } from './template_text';

process.once('message', (order: RenderOrder) => {
  process.send?.(renderedText(order), () => process.exit());
});
// Whoever asked is gone, and so is the use of an answer.
process.once('disconnect', () => process.exit());
