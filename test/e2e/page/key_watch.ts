/**
 * Runs in the editor's page: notes for each key in the text how long it took, from when the browser got it until the frame with the changed line was painted. The
 * editor draws in an animation frame; a message that is posted then arrives once the browser has painted that.
 */
const keysPainted: number[] = [];
Object.assign(globalThis, { keysPainted });

/** When the last key came that is not drawn yet, and what was drawn before it. */
let pressed: { readonly at: number; readonly look: string } | undefined;
/** Drawn, and not painted yet. */
const drawn: number[] = [];
const painted = new MessageChannel();

const lines = document.querySelector('.editor-instance .view-lines');
if (lines === null) throw new Error('There is no editor in the page.');

/** What is drawn, with what is ghost text of it: a key that goes along with it leaves the letters as they are. */
const look = (): string => lines.innerHTML;

document.addEventListener(
  'keydown',
  ({ timeStamp, key }) => {
    if (key.length === 1) pressed = { at: timeStamp, look: look() };
  },
  true,
);

painted.port1.onmessage = () => {
  const at = drawn.shift();
  if (at !== undefined) keysPainted.push(performance.now() - at);
};

new MutationObserver(() => {
  if (pressed === undefined || look() === pressed.look) return;
  drawn.push(pressed.at);
  pressed = undefined;
  painted.port2.postMessage(undefined);
}).observe(lines, { subtree: true, childList: true, characterData: true });
