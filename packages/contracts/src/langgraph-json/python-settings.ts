import { z } from 'zod';

/** The keys of `langgraph.json` about how a Python project is installed. */

/** The versions that graphs run on, as uv understands it. */
export const SERVED_PYTHON = '>=3.11,<3.15';
/** Those versions, the one that is preferred where nothing decides first: that of the original's image, then newer ones. */
export const SERVED_MINORS = ['3.11', '3.12', '3.13', '3.14'];

const UvSource = z.object(
  {
    kind: z.literal('uv', { error: 'must be "uv"' }),
    /** The package to deploy; the one around the file by default. */
    package: z.string({ error: 'must be the name of a package' }).min(1, 'must not be empty').optional(),
    /** The folder of the `uv.lock`. */
    root: z.string({ error: 'must be a path' }).min(1, 'must not be empty').default('.'),
  },
  { error: 'must be {"kind": "uv", "root": …}' },
);

/** Whether graphs run on a version of Python, such as 3.12.1. */
export const isServedPython = (version: string): boolean =>
  SERVED_MINORS.includes(version.split('.').slice(0, 2).join('.'));

/** An unset key is undefined, or null. */
const absent = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

export const PythonSettings = z.object({
  python_version: z
    .string({ error: 'must be a text, such as "3.13"' })
    // The original takes the name of an image's distribution behind it.
    .transform((text) => text.split('-')[0] ?? '')
    .refine((text) => SERVED_MINORS.includes(text), `must be one of ${SERVED_MINORS.join(', ')}`)
    .nullish()
    .transform(absent),
  /** Folders, and requirements as pip understands them. */
  dependencies: z.array(z.string(), { error: 'must be a list of texts' }).nullish().transform(absent),
  source: UvSource.nullish().transform(absent),
  pip_config_file: z.string({ error: 'must be a path' }).nullish().transform(absent),
  pip_installer: z
    .enum(['auto', 'pip', 'uv'], { error: 'must be auto, pip or uv' })
    .nullish()
    .transform((installer) => installer ?? 'auto'),
});
export type PythonSettings = z.output<typeof PythonSettings>;
