import { hasOldRelease } from './support/old-release.ts'

/** Before `npm run test:everything -- upgrade`: ends with 1 where the code of the older release is not there. */
if (!hasOldRelease()) {
  console.error(
    'The older release is in the history of this repository, which this clone does not have: git fetch --unshallow',
  )
  process.exit(1)
}
