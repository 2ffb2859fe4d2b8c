import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** `Export…ServiceResponse`, which is the same for every signal; empty where everything was accepted. */
export function encodeAnswer(answer: { readonly rejected: number; readonly message: string }): Uint8Array {
  const writer = new BinaryWriter();
  if (answer.rejected === 0 && answer.message === '') return writer.finish();
  writer.tag(1, WireType.LengthDelimited).fork();
  if (answer.rejected > 0) writer.tag(1, WireType.Varint).int64(answer.rejected);
  if (answer.message !== '') writer.tag(2, WireType.LengthDelimited).string(answer.message);
  return writer.join().finish();
}
