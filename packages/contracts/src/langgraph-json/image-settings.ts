import { z } from 'zod';

/** The keys of `langgraph.json` about an image of the project, which `roadstead build` reads. */

const Lines = z.array(z.string(), { error: 'must be a list of texts' });

export const ImageSettings = z.object({
  /** What it is made of, in place of what the languages of its graphs ask for. */
  base_image: z.string({ error: 'must be the name of an image' }).min(1, 'must not be empty').nullish(),
  image_distro: z
    .enum(['debian', 'bookworm', 'wolfi'], { error: 'must be debian, bookworm or wolfi' })
    .nullish()
    .transform((distro) => distro ?? 'debian'),
  /** Lines for the Dockerfile, after the one that names the base. */
  dockerfile_lines: Lines.nullish().transform((lines) => lines ?? []),
  node_loader: z.string().nullish(),
});
export type ImageSettings = z.output<typeof ImageSettings>;

/** Whether a warning of the reader says that keys of these are ignored: an image honours them. */
export const isAboutImage = (warning: string): boolean =>
  /"(?:base_image|image_distro|dockerfile_lines)" is about a container image/.test(warning);
