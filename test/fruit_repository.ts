/** A git repository whose messages are all of one manner, for what is suggested in a commit box. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a folder one, with a commit for each of four fruits: `fruit: count apples`.
 * @returns What writes and stages the file of another fruit.
 */
export function makeFruitRepository(folder: string): (fruit: string) => void {
  const git = (...words: string[]): void => {
    const person = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...person, ...words], { cwd: folder, stdio: 'pipe' });
  };
  const stage = (fruit: string): void => {
    writeFileSync(join(folder, `${fruit}.py`), `def count_${fruit}(basket):\n    return len(basket)\n`);
    git('add', '--all');
  };
  git('init', '--quiet');
  for (const fruit of ['apples', 'pears', 'plums', 'cherries']) {
    stage(fruit);
    git('commit', '--quiet', '--message', `fruit: count ${fruit}`);
  }
  return stage;
}
