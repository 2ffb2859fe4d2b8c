import type { ProviderKind } from '@roadstead/contracts/observability';
import { anthropicCodec } from './anthropic-codec.ts';
import { googleCodec } from './google-codec.ts';
import type { ModelCodec } from './model-call.ts';
import { openaiCodec } from './openai-codec.ts';

export const modelCodecs: Readonly<Record<ProviderKind, ModelCodec>> = {
  openai: openaiCodec,
  anthropic: anthropicCodec,
  google: googleCodec,
};
