import { z } from 'zod';

/**
 * The JSON Schemas of a document. A named one (`.meta({ id })`) is written once, in `components.schemas`. Its forms in
 * requests and in answers may differ, by defaults for instance; the request's is then called `{name}Input`.
 */

type Io = 'input' | 'output';
type Json = Record<string, unknown>;

/** The prefix of references until every schema, and so every final name, is known. */
const PREFIX = '#/components/schemas/';
const REFERENCE = /#\/components\/schemas\/(\w+):(input|output)/g;

export class Schemas {
  readonly #forms = new Map<string, Partial<Record<Io, Json>>>();

  /** @throws where two schemas of one name differ */
  of(schema: z.ZodType, io: Io): Json {
    const { $defs = {}, ...root } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      override: ({ jsonSchema, zodSchema }) => tidy(jsonSchema, zodSchema),
    });
    for (const [name, form] of Object.entries($defs)) this.#add(name, io, referring(form, io));
    const { $schema: _schema, ...json } = referring(root, io);
    return json;
  }

  #add(name: string, io: Io, form: Json): void {
    const forms = this.#forms.get(name) ?? {};
    if (forms[io] !== undefined && JSON.stringify(forms[io]) !== JSON.stringify(form))
      throw new Error(`Two schemas are named ${name}.`);
    this.#forms.set(name, { ...forms, [io]: form });
  }

  /** The document with its references resolved, and the schemas that they point to. */
  finish(document: Json): Json {
    const twofold = this.#twofold();
    const nameOf = (name: string, io: string) =>
      io === 'input' && twofold.has(name) ? `${name}Input` : name;
    const schemas = [...this.#forms]
      .flatMap(([name, forms]) =>
        Object.entries(forms).map(([io, form]): [string, Json] => [nameOf(name, io), form]),
      )
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const { schemas: own, ...others } = document['components'] as Json;
    const components = { ...others, schemas: { ...(own as Json), ...Object.fromEntries(schemas) } };
    const text = JSON.stringify({ ...document, components });
    return JSON.parse(
      text.replaceAll(REFERENCE, (_, name: string, io: string) => PREFIX + nameOf(name, io)),
    ) as Json;
  }

  /** The names whose two forms differ, in themselves or in schemas that they refer to. */
  #twofold(): Set<string> {
    const found = new Set<string>();
    const both = [...this.#forms].filter(([, { input, output }]) => input && output);
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const [name, { input, output }] of both) {
        const [one, other] = [JSON.stringify(input), JSON.stringify(output)];
        const same = one.replaceAll(':input"', '"') === other.replaceAll(':output"', '"');
        const refersToSuch = [...one.matchAll(REFERENCE)].some(([, to]) => found.has(to ?? ''));
        if (!same || refersToSuch) found.add(name);
      }
    }
    return found;
  }
}

function referring(json: object, io: Io): Json {
  const text = JSON.stringify(json);
  return JSON.parse(text.replaceAll(/#\/\$defs\/(\w+)/g, `${PREFIX}$1:${io}`)) as Json;
}

/** Drops patterns beside formats, which are clearer, and lets answers get further fields one day. */
function tidy(json: z.core.JSONSchema.BaseSchema, schema: z.core.$ZodTypes): void {
  if (json.format !== undefined) delete json.pattern;
  const def = schema._zod.def;
  if (def.type === 'object' && def.catchall === undefined) delete json.additionalProperties;
}
