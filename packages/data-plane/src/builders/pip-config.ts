import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWithin } from '@roadstead/fence';
import type { IndexSettings } from '@roadstead/uv';

/** Limits what a project's own `pip.conf` names to the project. Pure. */

export interface PipConfigPlace {
  /** The folder of the project. */
  readonly work: string;
  /** The path of the file, relative to it. */
  readonly file: string;
}

export interface LimitedSettings {
  readonly settings: IndexSettings;
  readonly warnings: readonly string[];
}

/** Leaves out paths outside the project: they mean another machine, or files of this one. */
export function limitToProject(settings: IndexSettings, place: PipConfigPlace): LimitedSettings {
  const links = settings.find_links.map((one) => pathOf(one, place) ?? one);
  const certificates = settings.certificates === undefined ? undefined : pathOf(settings.certificates, place);
  const isKept = (one: string) => isRemote(one) || isWithin(one, place.work);
  const hasCertificates = certificates !== undefined && isWithin(certificates, place.work);
  const warning = (key: string) =>
    `${place.file}: ${key} names a path outside the project, which a build does not see: it is ignored`;
  return {
    settings: {
      ...settings,
      find_links: links.filter(isKept),
      certificates: hasCertificates ? certificates : undefined,
    },
    warnings: [
      ...(links.every(isKept) ? [] : [warning('find-links')]),
      ...(settings.certificates === undefined || hasCertificates ? [] : [warning('cert')]),
    ],
  };
}

/** The path on this machine that a text names; undefined for an address elsewhere, and for what is no path. */
function pathOf(text: string, { work, file }: PipConfigPlace): string | undefined {
  if (isRemote(text)) return undefined;
  if (!text.startsWith('file:')) return resolve(work, join(file, '..'), text);
  try {
    return resolve(fileURLToPath(text));
  } catch {
    return undefined;
  }
}

const isRemote = (text: string) => /^https?:\/\//i.test(text);
