/** The files of deploy/ are whole, agree with each other, and let a cancelled request stop the engine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { familyOf } from '../../core/remote/families';

const read = (name: string): string => readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8');
const NGINX = read('nginx.conf.template');
const SETS = ['compose.yaml', 'kubernetes.yaml'].map((name) => [name, read(name)] as const);

const argsOf = (text: string): string[] =>
  [...text.matchAll(/- (--[\w-]+(?:=\S+)?)$/gm)].map((match) => match[1] ?? '');

describe('deploy/', () => {
  it.each(SETS)('%s gives nginx each engine that it names', (_, text) => {
    const wanted = [...NGINX.matchAll(/server \$\{(\w+)\}/g)].map((match) => match[1] ?? '');
    expect(wanted.length).toBeGreaterThan(1);
    for (const name of wanted) expect(text).toContain(name);
  });

  it.each(SETS)('%s has nginx look up again where its engines are', (_, text) => {
    const servers = [...NGINX.matchAll(/^ *server .*\$\{\w+\}.*$/gm)].map(([line]) => line);
    expect(servers.length).toBeGreaterThan(1);
    for (const server of servers) expect(server).toMatch(/ resolve;$/);
    expect(NGINX).toMatch(/^ *zone \w+ \w+;$/m);
    expect(NGINX).toMatch(/^ *resolver \$\{NGINX_LOCAL_RESOLVERS\} valid=\d+s;$/m);
    expect(text).toMatch(/NGINX_ENTRYPOINT_LOCAL_RESOLVERS(?:, value)?: '1'/);
  });

  it('calls the engines by whole names in a cluster', () => {
    const engines = [...read('kubernetes.yaml').matchAll(/ENGINE_\d, value: (\S+):\d+ /g)];
    const namespace = /^namespace: (\S+)$/m.exec(read('kustomization.yaml'))?.[1] ?? '';
    expect(engines.length).toBeGreaterThan(1);
    expect(engines.map(([, name]) => name)).toEqual(
      engines.map((_, index) => `engine-${index}.engine.${namespace}.svc.cluster.local`),
    );
  });

  it.each(SETS)('%s runs a model that fills in the middle, and keeps prefixes', (_, text) => {
    const args = argsOf(text);
    expect(args).toContain('--enable-prefix-caching');
    // Requests are not logged unless asked for, and later versions end at an option that says so.
    expect(args).not.toContain('--disable-log-requests');
    const model = args.find((arg) => arg.startsWith('--served-model-name='))?.split('=')[1] ?? '';
    expect(familyOf(model)).toBe('qwen');
  });

  it('runs the same engine everywhere', () => {
    const [compose = '', kubernetes = ''] = SETS.map(([, text]) => text);
    expect(argsOf(compose)).toEqual(argsOf(kubernetes));
    const image = /image: (vllm\/\S+)/;
    expect(image.exec(compose)?.[1]).toBe(image.exec(kubernetes)?.[1]);
  });

  it('sends a developer to one engine, hands on what comes as it comes, and closes what is closed', () => {
    expect(NGINX).toContain('hash $developer consistent;');
    const engine = read('engine.conf');
    expect(engine).toContain('proxy_buffering off;');
    expect(engine).toContain('proxy_ignore_client_abort off;');
    expect(engine).toContain('if ($developer = "") { return 401; }');
  });

  it('keeps keys and certificates out of the repository', () => {
    expect(read('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['developers.map', 'tls.crt', 'tls.key']),
    );
  });
});
