import type { Deployment } from '../../api/deployments.ts';
import { formOf, type SourceForm } from './source-rules.ts';

/** Which settings a deployment has, by its source, and what is sent for those that were changed. Pure. */

export interface Setting {
  /** The path in the request. */
  readonly field: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: 'text' | 'check';
  /** Whether a change of it makes a revision. */
  readonly deploys: boolean;
  readonly of: readonly SourceForm[];
}

const all: readonly SourceForm[] = ['git', 'image', 'upload', 'template'];
const built: readonly SourceForm[] = ['git', 'upload'];

export const settings: readonly Setting[] = [
  {
    field: 'display_name',
    label: 'Display name',
    hint: 'For people; the name in addresses stays.',
    kind: 'text',
    deploys: false,
    of: all,
  },
  {
    field: 'source_revision_config.repo_ref',
    label: 'Branch, tag or commit',
    hint: 'A change makes a revision.',
    kind: 'text',
    deploys: true,
    of: ['git'],
  },
  {
    field: 'source_config.build_on_push',
    label: 'Deploy when the branch is pushed to',
    hint: 'By the webhook of the integration, or by asking now and then.',
    kind: 'check',
    deploys: false,
    of: ['git'],
  },
  {
    field: 'source_revision_config.langgraph_config_path',
    label: 'Config path',
    hint: 'Where langgraph.json is in the source. A change makes a revision.',
    kind: 'text',
    deploys: true,
    of: built,
  },
  {
    field: 'source_config.install_command',
    label: 'Install command',
    hint: 'Empty: detected. Used from the next revision on.',
    kind: 'text',
    deploys: false,
    of: built,
  },
  {
    field: 'source_config.build_command',
    label: 'Build command',
    hint: 'Empty: detected. Used from the next revision on.',
    kind: 'text',
    deploys: false,
    of: built,
  },
  {
    field: 'source_revision_config.image_uri',
    label: 'Image',
    hint: 'A change makes a revision.',
    kind: 'text',
    deploys: true,
    of: ['image'],
  },
  {
    field: 'source_config.custom_url',
    label: 'Custom address',
    hint: 'A second address, which leads here.',
    kind: 'text',
    deploys: false,
    of: ['image'],
  },
];

/** Only images of elsewhere have an address of their own choice. */
export const settingsOf = (source: Deployment['source']): readonly Setting[] =>
  settings.filter(
    ({ of, field }) =>
      of.includes(formOf(source)) && (field !== 'source_config.custom_url' || source.startsWith('external_')),
  );

export type Values = Readonly<Record<string, string | boolean>>;

export function presentValues(deployment: Deployment): Values {
  return Object.fromEntries(
    settingsOf(deployment.source).map(({ field, kind }) => {
      const value = field
        .split('.')
        .reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | null)?.[key], deployment);
      return [field, kind === 'check' ? value === true : typeof value === 'string' ? value : ''];
    }),
  );
}

export const changedFields = (present: Values, values: Values): string[] =>
  Object.keys(values).filter((field) => values[field] !== present[field]);

/** The body of a change: only what was changed. */
export function patchOf(present: Values, values: Values): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const field of changedFields(present, values)) {
    const [first = '', second] = field.split('.');
    if (second === undefined) body[first] = values[field];
    else body[first] = { ...(body[first] as object | undefined), [second]: values[field] };
  }
  return body;
}
