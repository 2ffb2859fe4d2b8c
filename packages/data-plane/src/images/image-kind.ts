import type { ImageCheck, ImageFacts } from '@roadstead/containers';
import { type GraphConfig, isMadeForOriginal, readBakedConfig } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';

/** What an image is, by its configuration. Pure. */
export type ImageKind =
  /** It holds graphs, which our graph hosts run. */
  | {
      readonly kind: 'graphs';
      readonly config: GraphConfig;
      readonly folder: string;
      /** Whether it is sure to have `/bin/sh`. */
      readonly has_shell: boolean;
    }
  /** It is a server of HTTP, which runs as it is. */
  | { readonly kind: 'server'; readonly port: number; readonly check: ImageCheck | undefined };

/** The port of a server whose image names none. */
const DEFAULT_PORT = 8000;

/** @throws Problem where what it says of its graphs is wrong */
export function imageKindOf(facts: ImageFacts): ImageKind {
  const read = readBakedConfig(facts);
  if (read === undefined) return { kind: 'server', port: facts.ports[0] ?? DEFAULT_PORT, check: facts.check };
  if (read.kind === 'refused')
    throw new Problem('invalid', read.message, {
      code: 'image_config',
      ...(read.hint === undefined ? {} : { hint: read.hint }),
    });
  const has_shell = isMadeForOriginal(facts.environment);
  return { kind: 'graphs', config: read.config, folder: facts.folder, has_shell };
}
