import type {
  SourceConfig,
  SourceForm,
  SourceKind,
  SourceRevisionConfig,
} from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/**
 * Which field goes with which source, as a table.
 * `required`: on create; `immutable`: set on create, later only its present value is accepted; `fixed`: both; `read_only`:
 * never set by a caller, its present value is accepted; `ignored`: real clients send it, nothing follows.
 */
type FieldRule = 'allowed' | 'required' | 'immutable' | 'fixed' | 'read_only' | 'ignored' | 'forbidden';

const sources = ['git', 'external_image', 'internal_image', 'internal_source', 'internal_template'] as const;
type Row = readonly [FieldRule, FieldRule, FieldRule, FieldRule, FieldRule];

/* oxfmt-ignore */
const table = {
  //                                               git          ext. image   int. image   int. source  int. template
  'source_config.integration_id':                 ['immutable', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  'source_config.repo_url':                       ['immutable', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  'source_config.deployment_type':                ['immutable', 'forbidden', 'ignored',   'ignored',   'ignored'],
  'source_config.build_on_push':                  ['allowed',   'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  'source_config.custom_url':                     ['read_only', 'allowed',   'read_only', 'read_only', 'read_only'],
  'source_config.template_id':                    ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'fixed'],
  'source_config.resource_spec':                  ['forbidden', 'allowed',   'forbidden', 'forbidden', 'forbidden'],
  'source_config.listener_id':                    ['forbidden', 'immutable', 'forbidden', 'forbidden', 'forbidden'],
  'source_config.listener_config':                ['forbidden', 'immutable', 'forbidden', 'forbidden', 'forbidden'],
  'source_config.install_command':                ['allowed',   'forbidden', 'forbidden', 'allowed',   'forbidden'],
  'source_config.build_command':                  ['allowed',   'forbidden', 'forbidden', 'allowed',   'forbidden'],
  'source_revision_config.repo_ref':              ['allowed',   'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  'source_revision_config.langgraph_config_path': ['required',  'forbidden', 'forbidden', 'required',  'forbidden'],
  'source_revision_config.image_uri':             ['forbidden', 'allowed',   'allowed',   'forbidden', 'forbidden'],
  'source_revision_config.source_tarball_path':   ['forbidden', 'forbidden', 'forbidden', 'allowed',   'forbidden'],
  'secret_references':                            ['forbidden', 'allowed',   'forbidden', 'forbidden', 'forbidden'],
} as const satisfies Record<string, Row>;

export type Field = keyof typeof table;
export const fields = Object.keys(table) as readonly Field[];

/** In which form a source travels to its listener, which must be able to run that. */
export const sourceForms: Readonly<Record<SourceKind, SourceForm>> = {
  git: 'git',
  external_image: 'image',
  internal_image: 'image',
  internal_source: 'archive',
  internal_template: 'archive',
};

/** The part of a create or patch request that the table is about. */
export interface FieldsRequest {
  readonly source_config?: SourceConfig | null | undefined;
  readonly source_revision_config?: SourceRevisionConfig | null | undefined;
  readonly secret_references?: readonly unknown[] | null | undefined;
}

export function fieldRule(source: SourceKind, field: Field): FieldRule {
  return table[field][sources.indexOf(source)] as FieldRule;
}

/** Throws `invalid` for a field that doesn't go with the source of a new deployment, or that is missing. */
export function checkCreateFields(source: SourceKind, request: FieldsRequest): void {
  for (const field of fields) {
    const rule = fieldRule(source, field);
    const value = valueOf(request, field);
    if (value === undefined) {
      if ((rule === 'required' || rule === 'fixed') && !mayComeLater(source, request))
        throw missing(source, field);
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
    const stays = rule === 'immutable' || rule === 'fixed' || rule === 'read_only';
    if (stays && !isDeepStrictEqual(value, valueOf(present, field)))
      throw new Problem('invalid', `${field} of a deployment cannot be changed.`);
  }
  checkPushOfTag(request, present);
}

/** Throws `not_implemented` for a source that isn't built yet: before the request's fields are checked. */
export function checkBuilt(source: SourceKind): void {
  if (source === 'git')
    throw new Problem('not_implemented', `Deployments from source ${source} are not built yet.`, {
      hint: 'Use internal_source: upload the folder, as `roadstead deploy` does.',
    });
}

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

/** Null and an empty list count as absent. */
function valueOf(request: FieldsRequest, field: Field): unknown {
  const value = field
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], request);
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  return value;
}

function missing(source: SourceKind, field: Field): Problem {
  return new Problem('invalid', `${field} is required for source ${source}.`);
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

/** By value, whatever the order of keys. */
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
