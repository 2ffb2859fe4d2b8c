import type { Deployment } from '../../api/deployments.ts';

/** How the source of a deployment is told. Pure. */

/** What somebody chooses between for a new deployment. */
export const SOURCE_CHOICES = ['template', 'git', 'upload', 'image'] as const;
export type SourceChoice = (typeof SOURCE_CHOICES)[number];

/** Names of the wire; the last three are those that clients of the original send. */
const words: Readonly<Record<Deployment['source'], string>> = {
  git: 'git',
  external_image: 'image',
  internal_image: 'pushed image',
  internal_source: 'upload',
  internal_template: 'template',
  github: 'git',
  external_docker: 'image',
  internal_docker: 'pushed image',
};

export const sourceWord = (source: Deployment['source']): string => words[source];

export type SourceForm = 'git' | 'image' | 'upload' | 'template';

/** The form in which a deployment takes a new source. */
export function formOf(source: Deployment['source']): SourceForm {
  const word = words[source];
  return word === 'pushed image' ? 'image' : (word as SourceForm);
}

export const textField = (record: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = record[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

type SourceRecord = Pick<Deployment, 'source' | 'source_config' | 'source_revision_config'>;

/** Where exactly a deployment comes from: a repository and its ref, an image, a template. */
export function sourceDetail({ source_config, source_revision_config }: SourceRecord): string {
  const repository = textField(source_config, 'repo_url')?.replace(/^https?:\/\//, '');
  const parts = [
    repository,
    textField(source_revision_config, 'repo_ref'),
    textField(source_config, 'template_id'),
    textField(source_revision_config, 'image_uri'),
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** A name that fits the rules, made of what somebody chose; empty where nothing of it is left. */
export const nameFrom = (text: string): string =>
  text
    .replace(/\/+$/, '')
    .replace(/\.(git|tar\.gz|tgz)$/i, '')
    .split('/')
    .at(-1)!
    .split(/[:@]/)[0]!
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '');
