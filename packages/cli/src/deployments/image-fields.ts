import { readFile } from 'node:fs/promises';
import type {
  DeploymentCreateRequest,
  SecretReference,
  SourceConfig,
} from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** What a deploy says of an image beside its name. What is not said is left out, and so stays as it is. */
export interface ImageFields {
  readonly source_config: Pick<SourceConfig, 'resource_spec'>;
  readonly references: Pick<DeploymentCreateRequest, 'secret_references'>;
}

interface GivenFields {
  /** A file of JSON. */
  readonly resources: string | undefined;
  /** Each `NAME=SECRET/KEY`; an empty one stands for none. */
  readonly secret_references: readonly string[];
}

/** @throws Problem `invalid` for a file that can't be read, and for a reference of another form */
export async function readImageFields({ resources, secret_references }: GivenFields): Promise<ImageFields> {
  return {
    source_config: resources === undefined ? {} : { resource_spec: await readResources(resources) },
    references: secret_references.length === 0 ? {} : { secret_references: referencesOf(secret_references) },
  };
}

/** The platform judges its fields. */
async function readResources(file: string): Promise<NonNullable<SourceConfig['resource_spec']>> {
  const text = await readFile(file, 'utf8').catch((): never => {
    throw new Problem('invalid', `${file}, which --resources names, can't be read.`);
  });
  const spec = parsed(text);
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    throw new Problem('invalid', `${file}, which --resources names, must hold an object of JSON.`, {
      hint: 'Such as {"cpu": 1, "memory_limit_mb": 1024}: the fields of a resource_spec.',
    });
  return spec;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses `NAME=SECRET/KEY`; one empty text alone is no reference at all. */
export function referencesOf(given: readonly string[]): SecretReference[] {
  if (given.length === 1 && given[0] === '') return [];
  return given.map((one) => {
    const [, name, secret_name, secret_key] = /^([^=]+)=([^/]+)\/(.+)$/.exec(one) ?? [];
    if (name === undefined || secret_name === undefined || secret_key === undefined)
      throw new Problem('invalid', '--secret-reference must look like NAME=SECRET/KEY.');
    return { name, secret_name, secret_key };
  });
}
