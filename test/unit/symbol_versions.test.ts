import { describe, expect, it } from 'vitest';
import { newer, symbolOffences } from '../../scripts/check_symbol_versions.mjs';

const line = (binding: string, name: string): string =>
  `    12: 0000000000000000     0 FUNC    ${binding} DEFAULT  UND ${name}`;
const needed = (library: string): string =>
  ` 0x0000000000000001 (NEEDED)             Shared library: [${library}]`;

describe('the symbols that a shared object asks for', () => {
  it('are compared by number, part by part', () => {
    expect(newer('2.34', '2.28')).toBe(true);
    expect(newer('2.28', '2.28')).toBe(false);
    expect(newer('2.2.5', '2.28')).toBe(false);
    expect(newer('3.4.26', '3.4.25')).toBe(true);
    expect(newer('3.4', '3.4.25')).toBe(false);
  });

  it('pass when they are old, weak or of the host', () => {
    const symbols = [
      line('GLOBAL', 'pthread_create@GLIBC_2.2.5 (2)'),
      line('GLOBAL', 'statx@GLIBC_2.28 (3)'),
      line('GLOBAL', '_Unwind_Resume@GCC_3.0 (4)'),
      line('GLOBAL', 'napi_create_object'),
      line('GLOBAL', 'uv_async_send'),
      line('WEAK', '__gmon_start__'),
      '    20: 0000000000001000    12 FUNC    GLOBAL DEFAULT   13 napi_register_module_v1',
    ].join('\n');
    expect(symbolOffences(symbols, needed('libc.so.6'))).toEqual({ checked: 7, offences: [] });
  });

  it('fail when they are newer than the floor', () => {
    const symbols = [
      line('GLOBAL', 'pthread_create@GLIBC_2.34 (2)'),
      line('GLOBAL', 'fstat@GLIBC_2.33 (3)'),
      line('WEAK', '__libc_single_threaded@GLIBC_2.32 (4)'),
      line('GLOBAL', '_ZSt28__throw_bad_array_new_lengthv@GLIBCXX_3.4.29 (5)'),
    ].join('\n');
    const { offences } = symbolOffences(symbols, '');
    expect(offences).toHaveLength(4);
    expect(offences[0]).toBe('pthread_create: needs GLIBC_2.34, newer than GLIBC_2.28');
  });

  it('fail when nothing is known to offer them', () => {
    const { offences } = symbolOffences(
      [line('GLOBAL', 'shm_open'), line('GLOBAL', 'uv_run'), line('GLOBAL', 'odd@OTHER_1.0 (2)')].join('\n'),
      '',
    );
    expect(offences).toHaveLength(3);
  });

  it('must come from libraries that every system has, found without a path of the build machine', () => {
    const dynamic = [
      needed('libc.so.6'),
      needed('ld-linux-x86-64.so.2'),
      needed('libgomp.so.1'),
      ' 0x000000000000001d (RUNPATH)            Library runpath: [/home/someone/build]',
    ].join('\n');
    const { offences } = symbolOffences('', dynamic);
    expect(offences).toHaveLength(2);
    expect(offences[0]).toContain('libgomp');
    expect(offences[1]).toContain('RUNPATH');
  });
});
