/** Places at which the embedded model is sure of what comes: engines that round differently say the same there. */
import type { Around } from './both_engines';

export const PLACES: readonly Around[] = [
  {
    path: 'src/area.py',
    languageId: 'python',
    before:
      'class Rectangle:\n    def __init__(self, width, height):\n        self.width = width\n        self.height =',
    after: '\n\n    def area(self):\n        return self.width * self.height\n',
  },
  {
    path: 'src/items.ts',
    languageId: 'typescript',
    before: 'export function total(items: number[]): number {\n  let sum = 0;\n  for (let i = 0; i < items.',
    after: '\n    sum += items[i];\n  }\n  return sum;\n}\n',
  },
  {
    path: 'src/names.py',
    languageId: 'python',
    before: 'import os\nimport sys\n\ndef exists(path):\n    return os.path.',
    after: '\n\ndef main():\n    print(exists(sys.argv[1]))\n',
  },
  {
    path: 'src/copy.js',
    languageId: 'javascript',
    before: "const fs = require('fs');\nconst path =",
    after: "\n\nfs.copyFileSync(path.join(a, 'x'), path.join(b, 'x'));\n",
  },
];

/** Where a text of many lines follows. */
export const MANY_LINES: Around = {
  path: 'src/days.py',
  languageId: 'python',
  before: 'DAYS = [\n    "Monday",\n    "Tuesday",\n',
  after: '',
};
