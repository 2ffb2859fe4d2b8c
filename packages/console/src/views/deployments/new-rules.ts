import type { Variable } from './environment-rules.ts';
import type { SourceChoice } from './source-rules.ts';

/** What is sent to make a deployment. Pure. */

/** The values of the form, by the path of each in the request. */
export type NewValues = Readonly<Record<string, string>>;

export interface NewField {
  readonly field: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly initial?: string;
}

const config: NewField = {
  field: 'source_revision_config.langgraph_config_path',
  label: 'Config path',
  hint: 'Where langgraph.json is, from the root of the source.',
  initial: 'langgraph.json',
  isRequired: true,
};
const commands: readonly NewField[] = [
  {
    field: 'source_config.install_command',
    label: 'Install command',
    hint: 'Empty: detected from the files of the package manager.',
  },
  { field: 'source_config.build_command', label: 'Build command', hint: 'Empty: detected.' },
];

export interface SourceFields {
  readonly main: readonly NewField[];
  /** What most leave as it is. */
  readonly more: readonly NewField[];
}

export const newFields: Readonly<Record<SourceChoice, SourceFields>> = {
  template: { main: [], more: [] },
  git: {
    main: [
      {
        field: 'source_config.repo_url',
        label: 'Repository',
        placeholder: 'https://github.com/acme/agent',
        isRequired: true,
      },
      { field: 'source_revision_config.repo_ref', label: 'Branch, tag or commit', placeholder: 'main' },
      config,
    ],
    more: commands,
  },
  upload: { main: [config], more: commands },
  image: {
    main: [
      {
        field: 'source_revision_config.image_uri',
        label: 'Image',
        placeholder: 'registry.example.com/team/agent:1.0',
        hint: 'It is fetched by the machine that runs it.',
        isRequired: true,
      },
    ],
    more: [],
  },
};

/** Every field that tells its own faults. */
export const fieldsOf = (from: SourceChoice): string[] => [
  'name',
  'secrets',
  'source_config.template_id',
  'source_config.integration_id',
  'source_config.listener_id',
  ...[...newFields[from].main, ...newFields[from].more].map(({ field }) => field),
];

const sources = {
  template: 'internal_template',
  git: 'git',
  upload: 'internal_source',
  image: 'external_image',
} as const satisfies Readonly<Record<SourceChoice, string>>;

export interface NewDeployment {
  readonly from: SourceChoice;
  readonly values: NewValues;
  readonly build_on_push: boolean;
  readonly secrets: readonly Variable[];
}

/** The body of the request; what was left empty is left out. */
export function requestOf({ from, values, build_on_push, secrets }: NewDeployment) {
  const given = Object.entries(values).filter(([, value]) => value.trim() !== '');
  const below = (group: string) =>
    Object.fromEntries(
      given.flatMap(([field, value]) =>
        field.startsWith(`${group}.`) ? [[field.slice(group.length + 1), value.trim()] as const] : [],
      ),
    );
  return {
    name: values['name']?.trim() ?? '',
    source: sources[from],
    source_config: { ...below('source_config'), ...(from === 'git' && { build_on_push }) },
    source_revision_config: below('source_revision_config'),
    secrets: secrets
      .filter(({ name, value, is_suggested = false }) => name !== '' && !(is_suggested && value === ''))
      .map(({ name, value }) => ({ name, value })),
  };
}

/** The name that follows from what was chosen, until one types another. */
export const NAMING: Readonly<Partial<Record<SourceChoice, string>>> = {
  template: 'source_config.template_id',
  git: 'source_config.repo_url',
  image: 'source_revision_config.image_uri',
};
