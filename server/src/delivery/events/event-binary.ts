import { fromJsonString, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { type EventName, schemaOf } from './event-json.ts'

/** A stored payload as the message of its name. */
export function toEventBinary(name: EventName, payload: string): Uint8Array {
  const schema = schemaOf(name)
  return toBinary(schema, fromJsonString(schema, payload))
}

/** A message after its length, as protobuf's libraries write and read it in streams. */
export const withLength = (message: Uint8Array): Uint8Array => new BinaryWriter().bytes(message).finish()
