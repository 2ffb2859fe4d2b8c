import { imageFactsOf } from '@roadstead/containers';
import { type Log, Problem } from '@roadstead/kit';
import { SourceAway } from '../ports/source-away.ts';
import type { ImageReader, ImageSource } from './images.ts';
import { loginsFor, type PullLogin } from './pull-login-rules.ts';
import { type ImageKind, imageKindOf } from './image-kind.ts';
import { type ImageReference, imageReferenceOf, isImageId, textOf } from './image-reference-rules.ts';
import type { OwnImages } from './own-images.ts';
import { pullProblem } from './pull-failure-rules.ts';
import { type RegistryClient, type RegistryContent, RegistryRefusal } from './registry-client.ts';
import { inspectedOf, manifestKindOf } from './registry-rules.ts';

/** The logins in the secrets that a deployment names, and what is wrong with the first that can't be used. */
export interface PullLogins {
  readonly logins: readonly PullLogin[];
  readonly problem: Problem | undefined;
}

/** Port: reads the secrets of a cluster that a deployment names for its images. */
export type ReadPullLogins = (reader: ImageReader) => Promise<PullLogins>;

export interface RegistryImagesOptions {
  /** The images of the platform's own registry. */
  readonly own: Pick<OwnImages, 'isAnothers'>;
  readonly registries: RegistryClient;
  /** What the nodes of the cluster run, such as `linux/amd64`. */
  readonly platform: string;
  readonly pullLogins: ReadPullLogins;
  readonly log: Log;
}

type Asker = PullLogins & Pick<ImageReader, 'signal'>;

/** Advice where the nodes of a cluster fetch an image as well. */
const LOG_IN = 'Name a Secret with a login at the registry in image_pull_secrets.';

/** Images that the nodes of a cluster fetch: what they are is read from their registries. */
export class RegistryImages implements ImageSource {
  readonly #options: RegistryImagesOptions;

  constructor(options: RegistryImagesOptions) {
    this.#options = options;
  }

  async resolve(
    image_uri: string,
    { onLine, ...reader }: Parameters<ImageSource['resolve']>[1],
  ): Promise<string> {
    if (isImageId(image_uri))
      throw new Problem('invalid', `The image ${image_uri} is on one machine, and a cluster has several.`, {
        code: 'image_not_found',
        hint: 'Push it to a registry, and set source_revision_config.image_uri to its name there.',
      });
    const asked = imageReferenceOf(image_uri);
    const { own, pullLogins } = this.#options;
    if (own.isAnothers(asked, reader.deployment_id)) throw pullProblem(image_uri, 'denied').problem;
    const pull = await pullLogins(reader);
    if (pull.problem !== undefined) throw pull.problem;
    const { digest } = await this.#configurationOf(asked, { ...reader, ...pull });
    const pinned = textOf({ ...asked, version: `@${digest}` });
    onLine(`the image is ${pinned}`, 'INFO');
    return pinned;
  }

  /** Nodes fetch it as they need it. */
  async ensure(): Promise<void> {
    return;
  }

  async kindOf(pinned: string, reader: ImageReader): Promise<ImageKind> {
    const asker = { ...reader, ...(await this.#options.pullLogins(reader)) };
    const { configuration, digest } = await this.#configurationOf(imageReferenceOf(pinned), asker);
    const inspected = inspectedOf(configuration, digest);
    if (inspected === undefined)
      throw new Problem('invalid', `The configuration of the image ${pinned} can't be read.`, {
        code: 'image_config',
      });
    return imageKindOf(imageFactsOf(inspected));
  }

  /** The configuration for our platform, and the digest of what was named. */
  async #configurationOf(
    asked: ImageReference,
    asker: Asker,
  ): Promise<{ readonly digest: string; readonly configuration: unknown }> {
    const { registries } = this.#options;
    const name = textOf(asked);
    const { signal, problem } = asker;
    const question = { signal, logins: loginsFor(asker.logins, asked) };
    const top = await this.#read({ name, problem }, () => registries.manifest(asked, question));
    this.#checkDigest(asked, top);
    const kind = manifestKindOf(top.json);
    if (kind.kind === 'other')
      throw new Problem('invalid', `What its registry has as ${name} is no image.`, { code: 'image_config' });
    if (kind.kind === 'image') {
      const configuration = await this.#read({ name, problem }, () =>
        registries.configuration(asked, { digest: kind.config, ...question }),
      );
      this.#checkPlatform(name, configuration);
      return { digest: top.digest, configuration };
    }
    const { platform } = this.#options;
    const own = kind.manifests.find((manifest) => manifest.platform === platform);
    if (own === undefined) throw this.#otherPlatform(name);
    const { configuration } = await this.#configurationOf({ ...asked, version: `@${own.digest}` }, asker);
    return { digest: top.digest, configuration };
  }

  /** @param of.problem what keeps the deployment from logging in: it is said where the registry gives nothing */
  async #read<Found>(
    { name, problem: of_login }: { readonly name: string; readonly problem: Problem | undefined },
    read: () => Promise<Found>,
  ): Promise<Found> {
    try {
      return await read();
    } catch (error) {
      const said = error instanceof RegistryRefusal ? error.message : undefined;
      const isAway = error instanceof Problem && error.kind === 'unavailable';
      if (said === undefined && !isAway) throw error;
      this.#options.log.warn('a registry does not give an image', { image: name, error });
      const { problem, passes } = pullProblem(name, said ?? 'timeout');
      if (passes) throw new SourceAway(problem);
      if (problem.code !== 'image_denied') throw problem;
      throw of_login ?? new Problem('invalid', problem.message, { code: 'image_denied', hint: LOG_IN });
    }
  }

  #checkDigest({ version, ...image }: ImageReference, { digest }: RegistryContent): void {
    if (version.startsWith(':') || version === `@${digest}`) return;
    throw new Problem('invalid', `Its registry answers another image for ${textOf({ ...image, version })}.`, {
      code: 'image_not_found',
    });
  }

  #checkPlatform(name: string, configuration: unknown): void {
    const { Os, Architecture } = (inspectedOf(configuration, '') ?? {}) as Record<string, string>;
    if (`${Os}/${Architecture}` !== this.#options.platform) throw this.#otherPlatform(name);
  }

  #otherPlatform(name: string): Problem {
    return new Problem('invalid', `The image ${name} is not for ${this.#options.platform}.`, {
      code: 'image_platform',
      hint: 'Build it for that as well, such as by docker buildx build --platform.',
    });
  }
}
