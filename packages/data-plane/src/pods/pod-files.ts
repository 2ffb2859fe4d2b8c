import { realpath } from 'node:fs/promises';
import type { HostProgram } from '@roadstead/agent-server';
import { isWithin, outermost, showable, sortPaths } from '@roadstead/fence';
import { isOfImage } from '../ports/command-place.ts';

interface PodFilesOptions {
  readonly data_folder: string;
  /** Whether its pod has another image than ours. */
  readonly has_own_image: boolean;
}

/** A path that a host reads, and the one to which links lead from it. */
interface PodFile {
  readonly path: string;
  readonly real: string;
}

export interface PodFiles {
  /** What is sent to the pod: of our data, by real paths. */
  readonly sent: readonly string[];
  /** What our image has, and that of the pod lacks, by real paths. */
  readonly copied: readonly string[];
  /** What is mounted in the container of the host, of what was sent and copied. */
  readonly mounted: readonly PodFile[];
}

/**
 * Where a pod has the files of a host from. What lies in our data folder is sent; the rest is of our image, since we run in it, and is copied from
 * it where the pod has another one.
 */
export async function podFilesOf(
  { command: [program], reads, moved = [] }: Pick<HostProgram['program'], 'command' | 'reads' | 'moved'>,
  { data_folder, has_own_image }: PodFilesOptions,
): Promise<PodFiles> {
  const { folders, files } = showable(sortPaths([...reads, ...ofUs(program)]), [data_folder]);
  const found = await Promise.all(
    [...folders, ...files].map(async (path) => ({ path, real: await realpath(path) })),
  );
  const data = await realpath(data_folder);
  const isOurData = ({ path, real }: PodFile) => [path, real].some((one) => isWithin(one, data));
  const wanted = has_own_image ? found : found.filter(isOurData);
  const reals = wanted.filter(isOurData).map(({ real }) => real);
  const copied = wanted.filter((file) => !isOurData(file)).map(({ real }) => real);
  const linked = wanted.filter(({ path, real }) => path !== real);
  const whole = outermost(wanted.map(({ real }) => real)).map((real) => ({ path: real, real }));
  const elsewhere = await Promise.all(
    moved.map(async ({ from, to }) => ({ path: to, real: await realpath(from) })),
  );
  return {
    sent: outermost(reals),
    copied: outermost([...copied, ...elsewhere.map(({ real }) => real)]),
    mounted: [
      ...whole,
      ...linked.filter(({ path }) => !whole.some((one) => one.path === path)),
      ...elsewhere,
    ],
  };
}

/** The shell is that of the image. */
const ofUs = (program: string) => (isOfImage(program) ? [] : [program]);
