/** The secret that an answer tells this once, of an address that is new; in all later answers it is masked. */
export const newSecretOf = (
  webhooks: readonly { readonly secret?: string | null | undefined }[],
): string | undefined =>
  webhooks.map(({ secret }) => secret ?? undefined).find((secret) => secret?.startsWith('whsec_') === true);
