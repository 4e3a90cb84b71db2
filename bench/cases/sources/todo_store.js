import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

export class TodoNotFoundError extends Error {
  constructor(id) {
    super(`There is no todo with id ${id}`);
    this.name = 'TodoNotFoundError';
    this.id = id;
  }
}

export class TodoStore {
  #file;
  #todos = new Map();

  constructor(file) {
    this.#file = file;
  }

  get size() {
    return this.#todos.size;
  }

  async load() {
    let text;
    try {
      text = await readFile(this.#file, 'utf8');
    } catch (error) {
      if (error.code === 'ENOENT') return;
      throw error;
    }
    for (const todo of JSON.parse(text)) {
      this.#todos.set(todo.id, todo);
    }
  }

  async save() {
    await mkdir(path.dirname(this.#file), { recursive: true });
    const temporary = `${this.#file}.tmp`;
    await writeFile(temporary, JSON.stringify([...this.#todos.values()], null, 2));
    await rename(temporary, this.#file);
  }

  list({ done, tag } = {}) {
    let todos = [...this.#todos.values()];
    if (done !== undefined) {
      todos = todos.filter((todo) => todo.done === done);
    }
    if (tag !== undefined) {
      todos = todos.filter((todo) => todo.tags.includes(tag));
    }
    return todos.sort((a, b) => a.createdAt - b.createdAt);
  }

  get(id) {
    const todo = this.#todos.get(id);
    if (!todo) throw new TodoNotFoundError(id);
    return todo;
  }

  async add(title, tags = []) {
    if (typeof title !== 'string' || title.trim() === '') {
      throw new TypeError('title must be a non-empty string');
    }
    const todo = {
      id: randomUUID(),
      title: title.trim(),
      tags,
      done: false,
      createdAt: Date.now(),
    };
    this.#todos.set(todo.id, todo);
    await this.save();
    return todo;
  }

  async update(id, changes) {
    const todo = { ...this.get(id), ...changes, id };
    this.#todos.set(id, todo);
    await this.save();
    return todo;
  }

  async remove(id) {
    const todo = this.get(id);
    this.#todos.delete(id);
    await this.save();
    return todo;
  }
}
