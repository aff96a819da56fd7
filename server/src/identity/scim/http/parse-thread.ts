/** The thread of `parse-in-thread.ts`, for one body. It loads a copy of all that is imported here, so that is little. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { ApiError } from '../../../ground/errors.ts'
import { parseJson } from '../../../ground/http/chain/json-body.ts'
import { ScimError, type ScimType } from '../errors.ts'
import { type Packed, pack } from './packed-members.ts'

export type Parsed =
  | { packed: Packed }
  | { refusal: { status: number; detail: string; scimType?: ScimType | undefined } }

function parse(bytes: Uint8Array): Parsed {
  try {
    return { packed: pack(parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) }
  } catch (error) {
    if (error instanceof ApiError)
      return { refusal: { status: error.status, detail: error.message, scimType: 'invalidSyntax' } }
    if (!(error instanceof ScimError)) throw error
    return { refusal: { status: error.status, detail: error.message, scimType: error.scimType } }
  }
}

if (!isMainThread) parentPort?.postMessage(parse(workerData))
