import { baseOfImage } from './image/build.ts'

/** What a rehearsal on one machine cannot prove, whatever is installed on it: subject and reason. */
export const notTriedHere: [string, string][] = [
  ["npm's registry", 'nothing is published there; the trials used a registry on loopback'],
  ['provenance', 'it needs the publisher’s CI'],
  ['signatures', 'they need a public service'],
  ['a registry of images', 'nothing is pushed'],
  ['base of the image', baseOfImage],
  ['docker compose, systemd', 'the files are checked, and not run'],
  ['a Kubernetes cluster', 'the kustomizations are rendered, and not applied'],
  ['macOS, arm64', `this is ${process.platform} on ${process.arch}`],
]
