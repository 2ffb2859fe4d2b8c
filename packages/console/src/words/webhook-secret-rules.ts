interface Webhook {
  readonly url: string;
  readonly secret?: string | null | undefined;
}

export interface NewSecret {
  readonly url: string;
  readonly secret: string;
}

/** The secrets that an answer tells this once, of addresses that are new; in all later answers they are masked. */
export const newSecretsOf = (webhooks: readonly Webhook[]): readonly NewSecret[] =>
  webhooks.flatMap(({ url, secret }) => (secret?.startsWith('whsec_') === true ? [{ url, secret }] : []));
