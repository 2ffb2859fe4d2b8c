import type { Artifact } from '@roadstead/contracts/control-plane';
import { digestOfPinned } from '../images/image-reference-rules.ts';

/** The digest that names an artifact on this machine: of a folder, or of an image. */
export const digestOf = (artifact: Artifact): string =>
  artifact.kind === 'folder' ? artifact.digest : digestOfPinned(artifact.image_uri);
