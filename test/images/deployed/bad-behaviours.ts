/** How a server that its image starts does not serve, and what is said of it, wherever it runs. */
export const bad_behaviours = [
  {
    what: 'never listens',
    behaves: 'never listens',
    phase: 'start',
    code: 'not_listening',
    words: 'within',
  },
  { what: 'ends at once', behaves: 'exits', phase: 'start', code: 'server_ended', words: 'exit code 3' },
  {
    what: 'fills its memory',
    behaves: 'fills its memory',
    phase: 'start',
    code: 'out_of_memory',
    words: 'more memory than it may have',
  },
] as const;
