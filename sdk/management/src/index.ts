export { eachItem } from './each-item.ts'
export * from './generated/types.gen.ts'
export { Signet, type SignetOptions } from './signet.ts'
export { SignetError } from './signet-error.ts'
