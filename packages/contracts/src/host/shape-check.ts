/**
 * Checks values against JSON Schemas, as fast as frames come: a schema becomes a function once. It copies nothing, changes
 * nothing, and knows only the keywords that the schemas of the host protocol have.
 */

export interface Shape {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** Members that are there only with others. */
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly additionalProperties?: Shape;
  readonly items?: Shape;
  readonly maxItems?: number;
  readonly prefixItems?: readonly Shape[];
  readonly minimum?: number;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  /** A number below that of the frame's blobs. */
  readonly 'x-blob'?: true;
  /** How often a value of this definition is within another of it, at most. */
  readonly 'x-max-depth'?: number;
}

export type Shapes = Readonly<Record<string, Shape>>;

/**
 * Where a value differs from its schema and what it must be there, such as `.events[0].text must be a text`; undefined for a
 * value that fits. `blobs` is how many the frame brings.
 */
export type Check = (value: unknown, blobs: number) => string | undefined;

/** Makes checks of shapes; those that others refer to are made once. */
export class ShapeCompiler {
  readonly #definitions: Shapes;
  readonly #made = new Map<string, Check>();

  constructor(definitions: Shapes) {
    this.#definitions = definitions;
  }

  /** Undefined for a shape that admits everything. */
  compile(shape: Shape): Check | undefined {
    const { $ref, type, anyOf, oneOf } = shape;
    if ($ref !== undefined) return this.#definition($ref);
    if (anyOf !== undefined) return this.#union(anyOf);
    if (oneOf !== undefined) return this.#union(oneOf);
    if (shape.const !== undefined) return oneOfValues([shape.const]);
    if (shape.enum !== undefined) return oneOfValues(shape.enum);
    if (type === 'object') return this.#object(shape);
    if (type === 'array') return this.#array(shape);
    return type === undefined ? undefined : this.#plain(shape, type);
  }

  #definition($ref: string): Check {
    const name = $ref.replace('#/$defs/', '');
    const made = this.#made.get(name);
    if (made !== undefined) return made;
    const shape = this.#definitions[name];
    if (shape === undefined) throw new Error(`There is no shape ${$ref}.`);
    let check: Check = () => undefined;
    // A definition may refer to itself.
    this.#made.set(name, (value, blobs) => check(value, blobs));
    const compiled = this.compile(shape) ?? check;
    const { 'x-max-depth': max_depth } = shape;
    check = max_depth === undefined ? compiled : bounded(compiled, max_depth);
    this.#made.set(name, check);
    return check;
  }

  #plain({ minimum, ...shape }: Shape, type: keyof typeof plainTypes): Check {
    const { is, must } = plainTypes[type];
    const is_blob = shape['x-blob'] === true;
    if (minimum === undefined) return (value) => (is(value) ? undefined : must);
    return (value, blobs) => {
      if (!is(value) || typeof value !== 'number') return must;
      if (value < minimum) return ` must be at least ${minimum}`;
      return is_blob && value >= blobs ? ' must be below the number of blobs' : undefined;
    };
  }

  #object(shape: Shape): Check {
    const { properties = {}, required = [], additionalProperties: rest = {} } = shape;
    const together = Object.entries(shape.dependentRequired ?? {}).flatMap(([name, others]) =>
      others.map((other) => ({ name, other })),
    );
    const members = Object.entries(properties).map(([name, shape]) => ({
      name,
      check: this.compile(shape),
      is_required: required.includes(name),
    }));
    const judged = members.filter(({ check, is_required }) => check !== undefined || is_required);
    const others = this.compile(rest);
    const names = new Set(Object.keys(properties));
    return (value, blobs) => {
      if (!isObject(value)) return ' must be an object';
      for (const { name, check, is_required } of judged) {
        const member = value[name];
        if (member === undefined) {
          if (is_required) return `.${name} is missing`;
          continue;
        }
        const fault = check?.(member, blobs);
        if (fault !== undefined) return `.${name}${fault}`;
      }
      for (const { name, other } of together)
        if (value[name] !== undefined && value[other] === undefined) return `.${other} is missing`;
      if (others === undefined) return undefined;
      for (const name in value) {
        // Zod passes it over, too: nobody reads a member of this name as one of a record.
        const fault = name === '__proto__' || names.has(name) ? undefined : others(value[name], blobs);
        // The name may be a user's.
        if (fault !== undefined) return `.*${fault}`;
      }
      return undefined;
    };
  }

  #array({ items = {}, prefixItems, maxItems = Infinity }: Shape): Check {
    if (prefixItems !== undefined) return this.#tuple(prefixItems);
    const check = this.compile(items);
    return (value, blobs) => {
      if (!Array.isArray(value)) return ' must be a list';
      if (value.length > maxItems) return ` must be a list of at most ${maxItems}`;
      if (check === undefined) return undefined;
      for (let at = 0; at < value.length; at += 1) {
        const fault = check(value[at], blobs);
        if (fault !== undefined) return `[${at}]${fault}`;
      }
      return undefined;
    };
  }

  #tuple(items: readonly Shape[]): Check {
    const checks = items.map((item) => this.compile(item));
    return (value, blobs) => {
      if (!Array.isArray(value) || value.length !== checks.length)
        return ` must be a list of ${checks.length}`;
      for (const [at, check] of checks.entries()) {
        const fault = check?.(value[at], blobs);
        if (fault !== undefined) return `[${at}]${fault}`;
      }
      return undefined;
    };
  }

  #union(shapes: readonly Shape[]): Check {
    const others = shapes.filter(({ type }) => type !== 'null');
    const check = this.#unionOf(others);
    if (others.length === shapes.length) return check;
    return (value, blobs) => (value === null ? undefined : check(value, blobs));
  }

  #unionOf(shapes: readonly Shape[]): Check {
    const checks = shapes.map((shape) => this.compile(shape) ?? (() => undefined));
    const [only] = checks;
    if (only !== undefined && checks.length === 1) return only;
    const name = tagOf(shapes);
    if (name !== undefined)
      return byTag(name, new Map(shapes.map((shape, at) => [tag(shape, name), checks[at]])));
    return (value, blobs) =>
      checks.some((check) => check(value, blobs) === undefined)
        ? undefined
        : ` must have one of ${checks.length} forms`;
  }
}

/** Counts how deep a check is within itself: what recurs for ever would end the process. */
function bounded(check: Check, max_depth: number): Check {
  let depth = 0;
  return (value, blobs) => {
    if (depth === max_depth) return ` must be at most ${max_depth} levels deep`;
    depth += 1;
    try {
      return check(value, blobs);
    } finally {
      depth -= 1;
    }
  };
}

const tag = ({ properties }: Shape, name: string): unknown => properties?.[name]?.const;

/** The property that tells the members of a union apart. */
function tagOf(shapes: readonly Shape[]): string | undefined {
  const [first] = shapes;
  return Object.keys(first?.properties ?? {}).find((name) => {
    const values = shapes.map((shape) => tag(shape, name));
    return !values.includes(undefined) && new Set(values).size === shapes.length;
  });
}

function byTag(name: string, checks: ReadonlyMap<unknown, Check | undefined>): Check {
  const must = `.${name} must be ${[...checks.keys()].map((one) => JSON.stringify(one)).join(' or ')}`;
  return (value, blobs) => {
    if (!isObject(value)) return ' must be an object';
    const check = checks.get(value[name]);
    return check === undefined ? must : check(value, blobs);
  };
}

function oneOfValues(values: readonly unknown[]): Check {
  const must = ` must be ${values.map((one) => JSON.stringify(one)).join(' or ')}`;
  const [only] = values;
  if (values.length === 1) return (value) => (value === only ? undefined : must);
  const known = new Set(values);
  return (value) => (known.has(value) ? undefined : must);
}

const plainTypes = {
  string: { is: (value: unknown) => typeof value === 'string', must: ' must be a text' },
  number: { is: Number.isFinite, must: ' must be a number' },
  integer: { is: Number.isSafeInteger, must: ' must be a whole number' },
  boolean: { is: (value: unknown) => typeof value === 'boolean', must: ' must be true or false' },
  null: { is: (value: unknown) => value === null, must: ' must be null' },
} as const;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
