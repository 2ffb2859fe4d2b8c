import type {
  SourceConfig,
  SourceForm,
  SourceKind,
  SourceRevisionConfig,
} from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/**
 * Which field goes with which source, as a table. Shape, type and range are the contract's (422); these are the rules
 * between fields (400).
 * `required`: on create; `immutable`: set on create, later only its present value is accepted; `fixed`: both;
 * `read_only`: never set by a caller, its present value is accepted; `ignored`: real clients send it, nothing follows.
 */
export type FieldRule =
  | 'allowed'
  | 'required'
  | 'immutable'
  | 'fixed'
  | 'read_only'
  | 'ignored'
  | 'forbidden';

export const sources = [
  'git',
  'external_image',
  'internal_image',
  'internal_source',
  'internal_template',
] as const;

interface Remark {
  /** A patch that sets it makes a revision. */
  readonly triggers?: true;
  /** In a patch an empty list takes away what there is; elsewhere it is unchanged, as clients send it for that. */
  readonly emptied?: true;
  /** The value where it is absent. */
  readonly fallback?: string;
}
type Row = readonly [FieldRule, FieldRule, FieldRule, FieldRule, FieldRule, Remark?];

const revision: Remark = { triggers: true };

/* oxfmt-ignore */
const table = {
  //                                               git          ext. image   int. image   int. source  int. template
  'name':                                         ['immutable', 'immutable', 'immutable', 'immutable', 'immutable'],
  'display_name':                                 ['allowed',   'allowed',   'allowed',   'allowed',   'allowed'],
  'source':                                       ['immutable', 'immutable', 'immutable', 'immutable', 'immutable'],
  'revision_source':                              ['read_only', 'read_only', 'read_only', 'read_only', 'read_only', { fallback: 'the source of the deployment' }],
  'source_config.integration_id':                 ['immutable', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  'source_config.repo_url':                       ['immutable', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  'source_config.deployment_type':                ['immutable', 'forbidden', 'ignored',   'ignored',   'ignored'],
  'source_config.build_on_push':                  ['allowed',   'forbidden', 'forbidden', 'forbidden', 'forbidden', { fallback: '`false`' }],
  'source_config.custom_url':                     ['read_only', 'allowed',   'read_only', 'read_only', 'read_only', { fallback: 'the address of the deployment, once a revision is active' }],
  'source_config.template_id':                    ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'fixed'],
  'source_config.resource_spec':                  ['forbidden', 'allowed',   'forbidden', 'forbidden', 'forbidden', { triggers: true, fallback: 'the defaults of whoever runs it' }],
  'source_config.listener_id':                    ['immutable', 'immutable', 'immutable', 'immutable', 'immutable', { fallback: 'the only listener that can run it, those of the workspace first' }],
  'source_config.listener_config':                ['immutable', 'immutable', 'immutable', 'immutable', 'immutable', { fallback: 'the first namespace of the listener that its data plane serves, once for ever; `external_image` has to name one where there are several' }],
  'source_config.install_command':                ['allowed',   'forbidden', 'forbidden', 'allowed',   'forbidden', { fallback: 'detected from the files of the package manager' }],
  'source_config.build_command':                  ['allowed',   'forbidden', 'forbidden', 'allowed',   'forbidden', { fallback: 'detected from the files of the package manager' }],
  'source_revision_config.repo_ref':              ['allowed',   'forbidden', 'forbidden', 'forbidden', 'forbidden', revision],
  'source_revision_config.langgraph_config_path': ['required',  'forbidden', 'forbidden', 'required',  'forbidden', revision],
  'source_revision_config.image_uri':             ['forbidden', 'allowed',   'allowed',   'forbidden', 'forbidden', { triggers: true, fallback: 'the revision waits for one' }],
  'source_revision_config.source_tarball_path':   ['forbidden', 'forbidden', 'forbidden', 'allowed',   'forbidden', { triggers: true, fallback: 'the revision waits for one' }],
  'source_revision_config.repo_commit_sha':       ['ignored',   'ignored',   'ignored',   'ignored',   'ignored'],
  'secrets':                                      ['allowed',   'allowed',   'allowed',   'allowed',   'allowed',   revision],
  'secret_references':                            ['forbidden', 'allowed',   'forbidden', 'forbidden', 'forbidden', { triggers: true, emptied: true }],
} as const satisfies Record<string, Row>;

export type Field = keyof typeof table;
export const fields = Object.keys(table) as readonly Field[];

/** The form in which a source travels to its listener, which must be able to run that form. */
export const sourceForms: Readonly<Record<SourceKind, SourceForm>> = {
  git: 'git',
  external_image: 'image',
  internal_image: 'image',
  internal_source: 'archive',
  internal_template: 'archive',
};

/** The part of a create or patch request that the table covers. */
export interface FieldsRequest {
  readonly name?: string | null | undefined;
  readonly display_name?: string | null | undefined;
  readonly source?: SourceKind | null | undefined;
  readonly revision_source?: SourceKind | null | undefined;
  readonly secrets?: readonly unknown[] | null | undefined;
  readonly source_config?: SourceConfig | null | undefined;
  readonly source_revision_config?: SourceRevisionConfig | null | undefined;
  readonly secret_references?: readonly unknown[] | null | undefined;
}

export function fieldRule(source: SourceKind, field: Field): FieldRule {
  return table[field][sources.indexOf(source)] as FieldRule;
}

export function remarkOf(field: Field): Remark {
  return (table[field] as Row)[5] ?? {};
}

/** Whether a patch sets a field that makes a revision, or takes something away; `present` is what the deployment has. */
export function triggersRevision(request: FieldsRequest, present: FieldsRequest): boolean {
  return fields.some(
    (field) =>
      remarkOf(field).triggers === true &&
      (valueOf(request, field) !== undefined || takesAway(field, { request, present })),
  );
}

function takesAway(
  field: Field,
  { request, present }: { readonly request: FieldsRequest; readonly present: FieldsRequest },
): boolean {
  const sent = sentOf(request, field);
  const isEmpty = Array.isArray(sent) && sent.length === 0;
  return remarkOf(field).emptied === true && isEmpty && valueOf(present, field) !== undefined;
}

/** Throws `invalid` for a field that doesn't go with the source of a new deployment, or that is missing. */
export function checkCreateFields(source: SourceKind, request: FieldsRequest): void {
  for (const field of fields) {
    const rule = fieldRule(source, field);
    const value = valueOf(request, field);
    if (value === undefined) {
      if (isRequired(rule) && !mayComeLater(source, request)) throw missing(source, field);
    } else if (rule === 'forbidden' && !isHarmless(field, value)) {
      throw misplaced(source, field);
    } else if (rule === 'read_only') {
      throw new Problem('invalid', `${field} is set by Roadstead for source ${source}; leave it out.`);
    }
  }
  checkPushOfTag(request, request);
}

/** Throws `invalid` for a field that a patch may not set; `present` is what the deployment has. */
export function checkPatchFields(source: SourceKind, request: FieldsRequest, present: FieldsRequest): void {
  for (const field of fields) {
    const rule = fieldRule(source, field);
    const value = valueOf(request, field);
    if (value === undefined) continue;
    if (rule === 'forbidden' && !isHarmless(field, value)) throw misplaced(source, field);
    if (isUnchangeable(rule) && !isDeepStrictEqual(value, valueOf(present, field)))
      throw unchangeable(source, field);
  }
  checkPushOfTag(request, present);
}

const isRequired = (rule: FieldRule) => rule === 'required' || rule === 'fixed';
const isUnchangeable = (rule: FieldRule) => ['immutable', 'fixed', 'read_only'].includes(rule);

/** The original's CLI sends `deployment_type` on create, and the path with the first upload. */
function mayComeLater(source: SourceKind, request: FieldsRequest): boolean {
  return source === 'internal_source' && valueOf(request, 'source_config.deployment_type') !== undefined;
}

/** Clients send `false` for "not at all". */
function isHarmless(field: Field, value: unknown): boolean {
  return field === 'source_config.build_on_push' && value === false;
}

function checkPushOfTag(request: FieldsRequest, present: FieldsRequest): void {
  const latest = (field: Field) => valueOf(request, field) ?? valueOf(present, field);
  const repo_ref = latest('source_revision_config.repo_ref');
  if (latest('source_config.build_on_push') !== true || typeof repo_ref !== 'string') return;
  if (repo_ref.startsWith('refs/tags/'))
    throw new Problem(
      'invalid',
      'source_config.build_on_push cannot be true while source_revision_config.repo_ref is a tag: tags are not pushed to.',
    );
}

const sentOf = (request: FieldsRequest, field: Field): unknown =>
  field
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], request);

/** Null and an empty list count as absent. */
function valueOf(request: FieldsRequest, field: Field): unknown {
  const value = sentOf(request, field);
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty || !isSaid(field, value) ? undefined : value;
}

/** Whether a value says something of its field: null doesn't, nor does a place without a namespace. */
export function isSaid(field: string, value: unknown): boolean {
  if (field === 'source_config.listener_config')
    return Object.values(value ?? {}).some((inner) => inner !== null && inner !== undefined);
  return value !== null && value !== undefined;
}

function missing(source: SourceKind, field: Field): Problem {
  return new Problem('invalid', `${field} is required for source ${source}.`);
}

function unchangeable(source: SourceKind, field: Field): Problem {
  return new Problem(
    'invalid',
    field === 'revision_source'
      ? `revision_source must be ${source}, the source of the deployment.`
      : `${field} of a deployment cannot be changed.`,
  );
}

function misplaced(source: SourceKind, field: Field): Problem {
  const right = sources.filter(
    (one) => !['forbidden', 'read_only', 'ignored'].includes(fieldRule(one, field)),
  );
  return new Problem(
    'invalid',
    `${field} applies to source ${right.join(' and ')} only, and this is ${source}.`,
  );
}

/** Compares by value, regardless of the order of keys. */
function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
