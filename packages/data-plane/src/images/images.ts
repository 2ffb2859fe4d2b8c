import {
  type ContainerEngine,
  EngineRefusal,
  type ImageFacts,
  type RegistryAuth,
} from '@roadstead/containers';
import { DOCKER_HUB, type Log, Problem } from '@roadstead/kit';
import type { AddressGuard } from '@roadstead/outbound';
import type { OnLine } from '../ports/builder.ts';
import { SourceAway } from '../ports/source-away.ts';
import { runStep } from '../steps/steps.ts';
import { orAway } from './engine-away.ts';
import { type ImageKind, imageKindOf } from './image-kind.ts';
import {
  imageReferenceOf,
  type ImageReference,
  isIdOrPart,
  isImageId,
  isPinned,
  pinnedName,
  textOf,
} from './image-reference-rules.ts';
import type { OwnImages } from './own-images.ts';
import { type RegistryClient, RegistryRefusal } from './registry-client.ts';
import { pullProblem } from './pull-failure-rules.ts';

/** How long a registry may send nothing. */
const IDLE_MS = 60_000;
const HTTPS_PORT = 443;

export interface ImagesOptions {
  readonly engine: ContainerEngine;
  /** Which registries may be asked. */
  readonly guard: AddressGuard;
  /** The images of the platform's own registry. */
  readonly own: Pick<OwnImages, 'isAnothers' | 'loginFor' | 'ownerOf'>;
  /** What registries themselves have. */
  readonly registries: Pick<RegistryClient, 'configuration'>;
  /** The operator's login at a registry, if any. */
  readonly loginAt: (registry: string) => Promise<RegistryAuth | undefined>;
  /** How long fetching one may take. */
  readonly limit_ms: number;
  readonly log: Log;
  readonly idle_ms?: number;
}

/** Who asks for an image. */
export interface ImageReader {
  /** The deployment that runs it. */
  readonly deployment_id: string;
  /** The secrets of a cluster that it names for its images. */
  readonly pull_secrets: readonly string[];
  readonly signal: AbortSignal;
}

interface PullOrder extends ImageReader {
  readonly onLine: OnLine;
}

/** The images of deployments, wherever they are. */
export type ImageSource = Pick<Images, 'resolve' | 'ensure' | 'kindOf'>;

/** The images of deployments on the container engine of this machine. */
export class Images {
  readonly #options: ImagesOptions;
  /** For which deployment a registry has shown which configuration: it is not asked again. */
  readonly #shown = new Set<string>();

  constructor(options: ImagesOptions) {
    this.#options = options;
  }

  /**
   * Fetches an image, and answers the name by which it is found again. Where the registry has none, one that was built on this machine
   * is taken.
   * @throws Problem where the image is at fault, SourceAway where its registry is away
   */
  async resolve(image_uri: string, order: PullOrder): Promise<string> {
    return await this.#resolve(image_uri, order).catch(orAway);
  }

  async #resolve(image_uri: string, order: PullOrder): Promise<string> {
    const { onLine, signal, deployment_id } = order;
    const { engine, own } = this.#options;
    if (own.isAnothers(imageReferenceOf(image_uri), deployment_id)) throw failed(image_uri, 'denied');
    const here = await engine.inspectImage(image_uri, signal);
    if (here === undefined || !isPinned(image_uri)) await this.#fetch(image_uri, here, order);
    const found = await this.#inspect(image_uri, signal);
    await this.#checkOwner(image_uri, found, order);
    await this.#checkPlatform(image_uri, found);
    const pinned = pinnedName(image_uri, found);
    onLine(`the image is ${pinned}`, 'INFO');
    return pinned;
  }

  /** Fetches an image again that was pinned before, unless it is here. */
  async ensure(pinned: string, signal: AbortSignal): Promise<void> {
    await this.#ensure(pinned, signal).catch(orAway);
  }

  async #ensure(pinned: string, signal: AbortSignal): Promise<void> {
    const { engine } = this.#options;
    if ((await engine.inspectImage(pinned, signal)) !== undefined) return;
    if (isImageId(pinned))
      throw new Problem('invalid', 'The image was built on this machine, and is no longer on it.', {
        code: 'image_gone',
        hint: 'Push it to a registry, and set source_revision_config.image_uri to its name there.',
      });
    await this.#pull(imageReferenceOf(pinned), { onLine: () => undefined, signal });
  }

  /** @throws Problem where what it says of its graphs is wrong */
  async kindOf(pinned: string, { signal }: ImageReader): Promise<ImageKind> {
    return imageKindOf(await this.#inspect(pinned, signal).catch(orAway));
  }

  async #fetch(image_uri: string, here: ImageFacts | undefined, order: PullOrder): Promise<void> {
    try {
      await this.#pull(imageReferenceOf(image_uri), order);
    } catch (error) {
      const problem = error instanceof SourceAway ? error.problem : error;
      if (here === undefined || order.signal.aborted || !(problem instanceof Problem)) throw error;
      // One that came from a registry may be an old one there: only a registry that has none says that it is not.
      const isBuiltHere = here.repository_digests.length === 0;
      if (problem.code === 'engine_away' || !(isBuiltHere || isAbsence(problem))) throw error;
      order.onLine(`${problem.message} The one on this machine is used.`, 'WARNING');
    }
  }

  async #pull(
    reference: ImageReference,
    { onLine, signal }: Pick<PullOrder, 'onLine' | 'signal'>,
  ): Promise<void> {
    const { engine, log, limit_ms, idle_ms = IDLE_MS } = this.#options;
    const name = textOf(reference);
    const auth = await this.#loginFor(reference);
    const whole = { ms: limit_ms, error: () => tooSlow(name, limit_ms) };
    const idle = { ms: idle_ms, error: () => failed(name, 'timeout') };
    const pull = (until: AbortSignal, goesOn: () => void) =>
      engine.pull(name, {
        auth,
        onProgress: (status, layer) => {
          goesOn();
          const line = progressLine(status, layer);
          if (line !== undefined) onLine(line, 'INFO');
        },
        signal: until,
      });
    try {
      await runStep((until) => runStep(pull, { signal: until, limit: idle }), { signal, limit: whole });
    } catch (error) {
      if (!(error instanceof EngineRefusal)) throw error;
      log.info('an image could not be fetched', { image: name, error });
      throw failed(name, error.message);
    }
  }

  /** The platform's own registry may be anywhere; others are named by users. */
  async #loginFor(reference: ImageReference): Promise<RegistryAuth | undefined> {
    const { own, loginAt } = this.#options;
    const login = await own.loginFor(reference);
    if (login !== undefined) return login;
    await this.#checkRegistry(reference);
    return await loginAt(reference.registry);
  }

  /** The engine asks the registry, which may be no address of this network. */
  async #checkRegistry({ registry, ...rest }: ImageReference): Promise<void> {
    // Its address is no user's.
    if (registry === DOCKER_HUB) return;
    const [, host = registry, port] = /^(.*?)(?::(\d+))?$/.exec(registry) ?? [];
    const at = { host, port: port === undefined ? HTTPS_PORT : Number(port) };
    try {
      this.#options.guard.checkWritten(at);
      await this.#options.guard.addressesOf(at);
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw failed(textOf({ registry, ...rest }), 'no such host');
    }
  }

  async #inspect(image_uri: string, signal: AbortSignal): Promise<ImageFacts> {
    const { engine } = this.#options;
    const found =
      (await engine.inspectImage(image_uri, signal)) ??
      (isImageId(image_uri)
        ? undefined
        : await engine.inspectImage(textOf(imageReferenceOf(image_uri)), signal));
    if (found !== undefined) return found;
    throw new Problem('invalid', `The image ${image_uri} is no longer on the container engine.`, {
      code: 'image_gone',
      hint: 'Deploy again: that fetches it again.',
    });
  }

  /**
   * An engine has the images of all deployments, and takes one that it has for what any registry says to be the same, without asking for
   * its bytes. So one that another deployment pushed is given if it was pushed for this one to our registry, or if the registry that was
   * asked has its configuration itself.
   */
  // oxlint-disable-next-line roadstead/two-positional -- what was asked for, what was found, and for whom
  async #checkOwner(
    image_uri: string,
    { id, repository_digests }: ImageFacts,
    { deployment_id, signal }: PullOrder,
  ): Promise<void> {
    const { own, registries } = this.#options;
    const names = repository_digests.map(imageReferenceOf);
    if (!names.some((name) => own.isAnothers(name, deployment_id))) return;
    if (names.some((name) => own.ownerOf(name) === deployment_id)) return;
    if (isIdOrPart(image_uri, id)) throw failed(image_uri, 'denied');
    const digest = id.startsWith('sha256:') ? id : `sha256:${id}`;
    const reference = imageReferenceOf(image_uri);
    const claim = `${deployment_id} ${reference.registry}/${reference.repository} ${digest}`;
    if (this.#shown.has(claim)) return;
    try {
      await registries.configuration(reference, { digest, logins: [], signal });
      this.#shown.add(claim);
    } catch (error) {
      const isAway = error instanceof Problem && error.kind === 'unavailable';
      if (!isAway && !(error instanceof RegistryRefusal)) throw error;
      this.#options.log.warn('a registry does not have the image of another deployment that it names', {
        image: image_uri,
        deployment_id,
        error,
      });
      // A registry that gives out no more for now has said nothing of the image.
      const said = isAway ? 'timeout' : error.message;
      throw failed(image_uri, pullProblem(image_uri, said).passes ? said : 'denied');
    }
  }

  async #checkPlatform(image_uri: string, { os, architecture }: ImageFacts): Promise<void> {
    const own = await this.#options.engine.describe();
    if (os === own.os && architecture === own.architecture) return;
    throw new Problem(
      'invalid',
      `The image ${image_uri} is for ${os}/${architecture}, and this machine is ${own.os}/${own.architecture}.`,
      {
        code: 'image_platform',
        hint: 'Build it for that as well, such as by docker buildx build --platform.',
      },
    );
  }
}

const isAbsence = ({ code }: Problem) => code === 'image_not_found';

/** What is told of the work of an engine: the layers, without each piece of them. */
function progressLine(status: string, layer: string | undefined): string | undefined {
  if (layer === undefined) return status === '' ? undefined : status;
  return /^(?:Pull complete|Already exists)$/.test(status) ? `${layer}: ${status.toLowerCase()}` : undefined;
}

const tooSlow = (name: string, limit_ms: number) =>
  new Problem('invalid', `Fetching the image ${name} took longer than ${limit_ms / 1000} s.`, {
    code: 'image_not_fetched',
    hint: 'The operator of this platform sets the limit, by ROADSTEAD_BUILD_TIMEOUT_S.',
  });

function failed(name: string, said: string): Problem | SourceAway {
  const { problem, passes } = pullProblem(name, said);
  return passes ? new SourceAway(problem) : problem;
}
