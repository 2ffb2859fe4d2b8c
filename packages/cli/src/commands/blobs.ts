import type { BlobsPlace } from '@roadstead/blobs';
import { Problem, readConfig } from '@roadstead/kit';
import { sizeText } from '../images/build-rules.ts';
import { answerOptions, type Command } from '../command-line/command.ts';
import { Interruption, watchInterrupt } from '../terminal/interrupt.ts';
import { safeJson } from '../terminal/safe-text.ts';

const TOLD_EACH = 100;

export const blobs: Command = {
  name: 'blobs',
  operands: 'move',
  summary:
    'Move sources, artifacts, images and attachments from ROADSTEAD_FORMER_BLOBS_URL to ROADSTEAD_BLOBS_URL, while services that have both settings run.',
  options: {
    remove: { type: 'boolean', doc: 'remove from the former place what the new one has' },
    ...answerOptions,
  },
  examples: [
    { call: 'blobs move', does: 'copies what the new place lacks; may be cut off and run again' },
    {
      call: 'blobs move --remove',
      does: 'also empties the former place, once all services have both settings',
    },
  ],
  run: async ({ values, terminal }) => {
    using interrupt = watchInterrupt();
    const { blobsSettings, readBlobsPlace } = await import('@roadstead/blobs');
    // Nothing is guessed: what is removed must be where services look.
    const report = await move(readBlobsPlace(readConfig(blobsSettings), undefined), {
      removes: values['remove'] === true,
      signal: interrupt.signal,
      tell: (line) => terminal.progress(`  ${line}`),
    }).catch((error: unknown) => {
      if (!interrupt.signal.aborted) throw error;
      throw new Interruption('What was moved is moved; run it again for the rest.');
    });
    const { copied, bytes, removed, damaged } = report;
    const words = `${copied} copied, ${sizeText(bytes)}; ${removed} removed from the former place.`;
    terminal.out(values['json'] === true ? safeJson(report) : words);
    if (damaged.length > 0)
      throw new Problem(
        'invalid',
        `Files that are not what their names say stay where they are: ${damaged.slice(0, 5).join(', ')}${damaged.length > 5 ? ` and ${damaged.length - 5} more` : ''}.`,
        { hint: 'Restore them from a backup, or remove them.' },
      );
    return 0;
  },
};

async function move(
  place: BlobsPlace,
  {
    removes,
    signal,
    tell,
  }: { readonly removes: boolean; readonly signal: AbortSignal; readonly tell: (line: string) => void },
) {
  // Other commands don't need it.
  const { BLOB_STORES, checkBlobsPlace, moveBlobs, openPlaces } = await import('@roadstead/blobs');
  await checkBlobsPlace(place, { warn: tell });
  const all = { copied: 0, bytes: 0, removed: 0, damaged: [] as string[] };
  for (const store of BLOB_STORES) {
    let looked_at = 0;
    const report = await moveBlobs({
      ...(await openPlaces(place, store)),
      removes,
      signal,
      onProgress: ({ copied, bytes }) => {
        looked_at += 1;
        if (looked_at % TOLD_EACH === 0)
          tell(`${store}: ${looked_at} looked at, ${copied} copied, ${sizeText(bytes)}`);
      },
    });
    all.copied += report.copied;
    all.bytes += report.bytes;
    all.removed += report.removed;
    all.damaged.push(...report.damaged);
  }
  return all;
}
