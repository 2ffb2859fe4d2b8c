import { parse, stringify } from 'smol-toml';
import { z } from 'zod';
import { type IndexSettings, mergeSettings, noSettings } from './index-settings.ts';

/** Reads and writes the files in which pip and uv keep what they know of indexes. Pure. */

/** The words of a value that may be on several lines. */
const words = (text: string | undefined): string[] => text?.split(/\s+/).filter((word) => word !== '') ?? [];

/** The sections of pip's file that are about installing, the more special first. */
const SECTIONS = ['install', 'global'];

/** The text of a `pip.conf`. */
export function readPipConfig(text: string): IndexSettings {
  const sections = sectionsOf(text);
  return mergeSettings(
    SECTIONS.map((name) => {
      const values = sections.get(name) ?? {};
      return {
        ...noSettings,
        default_index: values['index-url'],
        extra_indexes: words(values['extra-index-url']),
        find_links: words(values['find-links']),
        insecure_hosts: words(values['trusted-host']),
        uses_no_index: /^(1|true|yes|on)$/i.test(values['no-index'] ?? ''),
        certificates: values['cert'],
      };
    }),
  );
}

function sectionsOf(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let values: Record<string, string> = {};
  let last: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const section = /^\[([^\]]+)\]/.exec(line)?.[1];
    const [, key, value = ''] = /^([A-Za-z][\w-]*)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (section !== undefined) {
      values = sections.get(section) ?? {};
      sections.set(section, values);
      last = undefined;
    } else if (key !== undefined) {
      last = key.toLowerCase().replaceAll('_', '-');
      values[last] = value.trim();
    } else if (last !== undefined && /^\s/.test(line)) values[last] = `${values[last]} ${line.trim()}`;
  }
  return sections;
}

const List = z.array(z.string()).optional();
const UvConfig = z.object({
  index: z
    .array(
      z.object({
        name: z.string().optional(),
        url: z.string(),
        default: z.boolean().optional(),
        explicit: z.boolean().optional(),
      }),
    )
    .optional(),
  'index-url': z.string().optional(),
  'extra-index-url': List,
  'find-links': List,
  'allow-insecure-host': List,
  'no-index': z.boolean().optional(),
  'index-strategy': z.string().optional(),
});

/** The address of an index, with the login that variables hold for its name. */
export function withLogin(
  { name, url }: { readonly name?: string | undefined; readonly url: string },
  variables: Readonly<Record<string, string | undefined>>,
): string {
  const prefix = `UV_INDEX_${name?.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
  const [username, password] = ['USERNAME', 'PASSWORD'].map((one) => variables[`${prefix}_${one}`]);
  if (name === undefined || (username ?? password) === undefined || !URL.canParse(url)) return url;
  const address = new URL(url);
  address.username = encodeURIComponent(username ?? '');
  address.password = encodeURIComponent(password ?? '');
  return address.href;
}

/** The text of a `uv.toml`; one that uv itself would refuse says nothing. */
export function readUvConfig(
  text: string,
  variables: Readonly<Record<string, string | undefined>> = {},
): IndexSettings {
  const { data = {} } = UvConfig.safeParse(tomlOf(text));
  const indexes = (data.index ?? [])
    .filter(({ explicit }) => explicit !== true)
    .map((one) => ({ ...one, url: withLogin(one, variables) }));
  return {
    ...noSettings,
    default_index: indexes.find((one) => one.default)?.url ?? data['index-url'],
    extra_indexes: [
      ...indexes.filter((one) => one.default !== true).map(({ url }) => url),
      ...(data['extra-index-url'] ?? []),
    ],
    find_links: data['find-links'] ?? [],
    insecure_hosts: data['allow-insecure-host'] ?? [],
    uses_no_index: data['no-index'] ?? false,
    strategy: data['index-strategy'],
  };
}

/** A `uv.toml` with these settings. */
export function uvConfigOf(settings: IndexSettings): string {
  const { default_index, extra_indexes, find_links, insecure_hosts, uses_no_index, strategy } = settings;
  return stringify({
    ...(uses_no_index ? { 'no-index': true } : {}),
    ...(find_links.length === 0 ? {} : { 'find-links': [...find_links] }),
    ...(insecure_hosts.length === 0 ? {} : { 'allow-insecure-host': [...insecure_hosts] }),
    ...(strategy === undefined ? {} : { 'index-strategy': strategy }),
    index: [
      ...extra_indexes.map((url) => ({ url })),
      ...(default_index === undefined ? [] : [{ url: default_index, default: true }]),
    ],
  });
}

/** A `pip.conf` with these settings. */
export function pipConfigOf(settings: IndexSettings): string {
  const { default_index, extra_indexes, find_links, insecure_hosts, uses_no_index } = settings;
  const values = {
    'index-url': default_index,
    'extra-index-url': extra_indexes.join(' '),
    'find-links': find_links.join(' '),
    'trusted-host': insecure_hosts.join(' '),
    'no-index': uses_no_index ? 'true' : '',
  };
  const lines = Object.entries(values).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [`${key} = ${value}`],
  );
  return ['[global]', ...lines, ''].join('\n');
}

function tomlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
