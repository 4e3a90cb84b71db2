export class SyntaxProblem extends Error {
  constructor(message, position) {
    super(`${message} at position ${position}`);
    this.position = position;
  }
}

export function tokenize(source) {
  const tokens = [];
  let position = 0;
  while (position < source.length) {
    const character = source[position];
    if (/\s/.test(character)) {
      position++;
    } else if (/[0-9.]/.test(character)) {
      let end = position;
      while (end < source.length && /[0-9.]/.test(source[end])) end++;
      tokens.push({ type: 'number', value: Number(source.slice(position, end)), position });
      position = end;
    } else if (/[a-z_]/i.test(character)) {
      let end = position;
      while (end < source.length && /[a-z0-9_]/i.test(source[end])) end++;
      tokens.push({ type: 'name', value: source.slice(position, end), position });
      position = end;
    } else if ('+-*/^(),'.includes(character)) {
      tokens.push({ type: 'operator', value: character, position });
      position++;
    } else {
      throw new SyntaxProblem(`Unexpected character ${character}`, position);
    }
  }
  tokens.push({ type: 'end', value: '', position });
  return tokens;
}

class Parser {
  constructor(tokens) {
    this.tokens = tokens;
    this.index = 0;
  }

  get current() {
    return this.tokens[this.index];
  }

  accept(value) {
    if (this.current.value !== value) return false;
    this.index++;
    return true;
  }

  expect(value) {
    if (!this.accept(value)) {
      throw new SyntaxProblem(`Expected ${value}`, this.current.position);
    }
  }

  parseSum() {
    let left = this.parseProduct();
    for (;;) {
      if (this.accept('+')) {
        left = { type: 'binary', operator: '+', left, right: this.parseProduct() };
      } else if (this.accept('-')) {
        left = { type: 'binary', operator: '-', left, right: this.parseProduct() };
      } else {
        return left;
      }
    }
  }

  parseProduct() {
    let left = this.parseUnary();
    for (;;) {
      if (this.accept('*')) {
        left = { type: 'binary', operator: '*', left, right: this.parseUnary() };
      } else if (this.accept('/')) {
        left = { type: 'binary', operator: '/', left, right: this.parseUnary() };
      } else {
        return left;
      }
    }
  }

  parseUnary() {
    if (this.accept('-')) {
      return { type: 'negate', operand: this.parseUnary() };
    }
    return this.parsePrimary();
  }

  parsePrimary() {
    const token = this.current;
    if (token.type === 'number') {
      this.index++;
      return { type: 'number', value: token.value };
    }
    if (token.type === 'name') {
      this.index++;
      return { type: 'variable', name: token.value };
    }
    this.expect('(');
    const inner = this.parseSum();
    this.expect(')');
    return inner;
  }
}

export function parse(source) {
  const parser = new Parser(tokenize(source));
  const tree = parser.parseSum();
  if (parser.current.type !== 'end') {
    throw new SyntaxProblem('Unexpected input', parser.current.position);
  }
  return tree;
}

export function evaluate(tree, variables = {}) {
  switch (tree.type) {
    case 'number':
      return tree.value;
    case 'variable':
      if (!(tree.name in variables)) {
        throw new ReferenceError(`${tree.name} is not defined`);
      }
      return variables[tree.name];
    case 'negate':
      return -evaluate(tree.operand, variables);
    case 'binary': {
      const left = evaluate(tree.left, variables);
      const right = evaluate(tree.right, variables);
      switch (tree.operator) {
        case '+':
          return left + right;
        case '-':
          return left - right;
        case '*':
          return left * right;
        case '/':
          return left / right;
      }
    }
  }
  throw new TypeError(`Unknown node: ${tree.type}`);
}
