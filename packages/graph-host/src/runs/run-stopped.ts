/** Why a run is stopped, as its graph's signal says it and its trace shows it. */
export class RunStopped extends Error {
  override readonly name = 'UserInterrupt';
  readonly reason: 'cancel' | 'drain';

  constructor(reason: 'cancel' | 'drain', why?: string) {
    super(why ?? (reason === 'drain' ? 'Its process stops: it goes on in another.' : 'It was cancelled.'));
    this.reason = reason;
  }
}
