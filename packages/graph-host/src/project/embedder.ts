import type { StoreIndex } from '@roadstead/contracts/langgraph-json';
import { LoadError, loading } from '../modules/load-error.ts';
import type { DeployedFolder } from '../modules/missing-build.ts';
import { importAsUser } from '../modules/user-modules.ts';

/** Vectors of texts, one for each. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** As LangChain's embedders are. */
interface EmbeddingsLike {
  embedDocuments(texts: readonly string[]): Promise<number[][]>;
}

/** The package of the project that has a provider, and its class, by the name in `provider:model`. */
const providers: Readonly<Record<string, readonly [specifier: string, name: string]>> = {
  azure_openai: ['@langchain/openai', 'AzureOpenAIEmbeddings'],
  bedrock: ['@langchain/aws', 'BedrockEmbeddings'],
  cohere: ['@langchain/cohere', 'CohereEmbeddings'],
  google_genai: ['@langchain/google-genai', 'GoogleGenerativeAIEmbeddings'],
  google_vertexai: ['@langchain/google-vertexai', 'VertexAIEmbeddings'],
  huggingface: ['@langchain/community/embeddings/hf', 'HuggingFaceInferenceEmbeddings'],
  mistralai: ['@langchain/mistralai', 'MistralAIEmbeddings'],
  ollama: ['@langchain/ollama', 'OllamaEmbeddings'],
  openai: ['@langchain/openai', 'OpenAIEmbeddings'],
};

export interface EmbedderPlace {
  /** Imports what a path of the project exports. */
  readonly exported: (module: string) => Promise<unknown>;
  /** A file of the project: packages are resolved from it. */
  readonly file: string;
  readonly deployed: DeployedFolder;
}

/**
 * The embedder that `store.index` names. One of the project that can't be loaded fails the start; one of a provider fails
 * what needs it, since the graphs may run without.
 */
export async function loadEmbedder(index: StoreIndex, place: EmbedderPlace): Promise<Embed> {
  const { embed: named } = index;
  const [, name = '', model = ''] = /^([^:]*):?(.*)$/.exec(named) ?? [];
  const provider = providers[name];
  const embed =
    provider === undefined
      ? embedderOf(await place.exported(named), named)
      : once(() => loadProvider(provider, { named, model, ...place }));
  return async (texts) => checked(await embed(texts), { texts, index });
}

/** The first success is kept. */
function once(load: () => Promise<Embed>): Embed {
  let loaded: Promise<Embed> | undefined;
  return async (texts) => {
    loaded ??= load();
    loaded.catch(() => (loaded = undefined));
    return (await loaded)(texts);
  };
}

async function loadProvider(
  [specifier, name]: readonly [string, string],
  { named, model, file, deployed }: EmbedderPlace & { readonly named: string; readonly model: string },
): Promise<Embed> {
  const module = await loading(
    () => importAsUser<Record<string, new (fields: object) => EmbeddingsLike>>(specifier, file),
    { what: `store.index.embed: ${named} needs the package ${specifier} in the project`, ...deployed },
  );
  const Embeddings = module[name];
  if (Embeddings === undefined)
    throw new Error(`store.index.embed: ${named} needs a version of ${specifier} that has ${name}.`);
  return await loading(() => embedderOf(new Embeddings(model === '' ? {} : { model }), named), {
    what: `store.index.embed: ${named} could not be made`,
    ...deployed,
  });
}

function embedderOf(exported: unknown, named: string): Embed {
  if (typeof exported === 'function') return async (texts) => (exported as Embed)(texts);
  if (typeof (exported as EmbeddingsLike | null)?.embedDocuments === 'function')
    return (texts) => (exported as EmbeddingsLike).embedDocuments([...texts]);
  throw new LoadError(
    `store.index.embed (${named}) is no embedder: neither a function of texts nor an object with embedDocuments.`,
  );
}

/** The vectors must have the dimensions that were promised. */
function checked(
  vectors: unknown,
  { texts, index: { dims, embed } }: { readonly texts: readonly string[]; readonly index: StoreIndex },
): readonly (readonly number[])[] {
  if (!Array.isArray(vectors) || vectors.length !== texts.length)
    throw new Error(`store.index.embed (${embed}) gave other than one vector for each text.`);
  // Copies hold what was checked, whatever the lists of an embedder do when they are written.
  return (vectors as unknown[]).map((vector) => {
    const numbers: unknown[] = Array.isArray(vector) ? [...vector] : [];
    if (numbers.length === dims && numbers.every(isFiniteNumber)) return numbers;
    throw new Error(
      `store.index.embed (${embed}) gave a vector that has not the ${dims} numbers that store.index.dims names.`,
    );
  });
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);
