/** The input of a graph of messages. */
export const says = (content: string) => ({ messages: [{ role: 'user', content }] });

export const NOBODY = '00000000-0000-4000-8000-000000000000';

/** A thread that only its scenario and client find. */
export const madeBy = (scenario: string, more: object = {}) => ({
  metadata: { scenario, client: '$client', ...more },
});
