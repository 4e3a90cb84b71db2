import http from 'node:http';
import { URL } from 'node:url';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function compile(pattern) {
  const names = [];
  const source = pattern
    .split('/')
    .map((part) => {
      if (!part.startsWith(':')) return part;
      names.push(part.slice(1));
      return '([^/]+)';
    })
    .join('/');
  return { names, expression: new RegExp(`^${source}$`) };
}

export class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Router {
  constructor() {
    this.routes = [];
    this.middleware = [];
  }

  use(handler) {
    this.middleware.push(handler);
    return this;
  }

  add(method, pattern, handler) {
    if (!METHODS.includes(method)) {
      throw new TypeError(`Unknown method: ${method}`);
    }
    this.routes.push({ method, handler, ...compile(pattern) });
    return this;
  }

  get(pattern, handler) {
    return this.add('GET', pattern, handler);
  }

  post(pattern, handler) {
    return this.add('POST', pattern, handler);
  }

  put(pattern, handler) {
    return this.add('PUT', pattern, handler);
  }

  delete(pattern, handler) {
    return this.add('DELETE', pattern, handler);
  }

  find(method, pathname) {
    for (const route of this.routes) {
      if (route.method !== method) continue;
      const match = route.expression.exec(pathname);
      if (match === null) continue;
      const params = {};
      route.names.forEach((name, index) => {
        params[name] = decodeURIComponent(match[index + 1]);
      });
      return { handler: route.handler, params };
    }
    return null;
  }

  async handle(request, response) {
    const url = new URL(request.url, `http://${request.headers.host}`);
    try {
      for (const middleware of this.middleware) {
        await middleware(request, response);
      }
      const found = this.find(request.method, url.pathname);
      if (found === null) {
        throw new HttpError(404, 'Not found');
      }
      const body = await readBody(request);
      const result = await found.handler({ params: found.params, query: url.searchParams, body });
      sendJson(response, 200, result);
    } catch (error) {
      const status = error instanceof HttpError ? error.status : 500;
      sendJson(response, status, { error: error.message });
    }
  }

  listen(port, callback) {
    const server = http.createServer((request, response) => this.handle(request, response));
    server.listen(port, callback);
    return server;
  }
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not valid JSON');
  }
}

function sendJson(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
