import { describe, expect, it } from 'vitest';
import { addressOf, endpointOf } from '../../../core/remote/endpoint';

const baseOf = (text: string): string => {
  const endpoint = endpointOf(text);
  return endpoint.ok ? endpoint.value.base : endpoint.error.code;
};

describe('an endpoint', () => {
  it.each([
    ['https://models.example.com', 'https://models.example.com'],
    ['https://models.example.com/', 'https://models.example.com'],
    ['https://models.example.com/v1', 'https://models.example.com'],
    ['https://models.example.com/team/v1/completions', 'https://models.example.com/team'],
    ['http://127.0.0.1:8080/infill', 'http://127.0.0.1:8080'],
    ['http://localhost:11434/v1/', 'http://localhost:11434'],
    ['http://192.168.1.20:8000', 'http://192.168.1.20:8000'],
    ['http://gpu-box:8000', 'http://gpu-box:8000'],
    ['http://gpu.local:8000', 'http://gpu.local:8000'],
    ['http://host.docker.internal:11434', 'http://host.docker.internal:11434'],
    ['http://front.emberline.svc.cluster.local', 'http://front.emberline.svc.cluster.local'],
    ['http://4.home.arpa', 'http://4.home.arpa'],
  ])('of %s has the base %s', (text, base) => {
    expect(baseOf(text)).toBe(base);
  });

  it.each([
    '',
    'models.example.com',
    'ftp://models.example.com',
    'http://models.example.com',
    'http://172.32.0.1:8000',
    'http://8.8.8.8',
    'http://local.example.com',
    'http://gpu.local.example.com',
    'http://gpu.notlocal',
    'http://gpu.home-arpa',
    'https://user:word@models.example.com',
    'https://models.example.com/?key=1',
    'https://models.example.com/#x',
  ])('is refused: %s', (text) => {
    expect(baseOf(text)).toBe('REMOTE_ADDRESS');
  });

  it('is safe over TLS and on this machine alone', () => {
    const safe = (text: string): unknown => {
      const endpoint = endpointOf(text);
      return endpoint.ok && endpoint.value.safe;
    };
    expect(safe('https://models.example.com')).toBe(true);
    expect(safe('http://[::1]:1')).toBe(true);
    expect(safe('http://10.0.0.3:8000')).toBe(false);
  });

  it('keeps its path in front of the paths of a server', () => {
    const endpoint = endpointOf('https://models.example.com/team/v1');
    expect(endpoint.ok && addressOf(endpoint.value, '/v1/completions').href).toBe(
      'https://models.example.com/team/v1/completions',
    );
  });

  it('repeats nothing of an address that may hold a secret', () => {
    expect(JSON.stringify(endpointOf('https://user:planted@models.example.com'))).not.toContain('planted');
  });
});
