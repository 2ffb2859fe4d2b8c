/** Where the original answers otherwise, and why it stays so; `docs/clients.md` has what clients may notice. */
export interface Difference {
  readonly call: RegExp;
  readonly field: RegExp;
  readonly why: string;
}

export const known: readonly Difference[] = [
  { call: /^crons: /, field: /./, why: 'It has no crons.' },
  { call: /^assistants: schemas$/, field: /./, why: 'It finds no schemas of a graph in JavaScript.' },
  { call: /^assistants: delete$/, field: /./, why: 'The API has 204 without a body.' },
  {
    call: /^runs: of an unknown thread$|reject while/,
    field: /./,
    why: 'A thread that is not there is 404, a busy one 409.',
  },
  { call: /body that is none|without channels/, field: /./, why: 'Bad input is 422.' },
  {
    call: /^runs: join, cancelled$/,
    field: /^(it: null|messages\b)/,
    why: 'Who joins a cancelled run is told why; there it is the state, where one was written.',
  },
  {
    call: /^runs: stream(?:, cancelled| of a run)/,
    field: /^it: undefined/,
    why: 'What a run told can be read again.',
  },
  { call: /^commands: unknown$/, field: /applied_through_seq/, why: 'A refusal says nothing of the thread.' },
  {
    call: /./,
    field: /metadata\.(?:user-agent|ls_integration|run_attempt|langgraph_version)|configurable\.user-agent/,
    why: 'Checkpoints and threads say what clients say, and not what headers do.',
  },
  {
    call: /^threads: (?:read|search)/,
    field: /config\.configurable: object, here nothing/,
    why: 'What a run configures is for that run, as on the original server for Python.',
  },
  { call: /./, field: /langgraph_(?:plan|host)/, why: 'There is no plan.' },
];
