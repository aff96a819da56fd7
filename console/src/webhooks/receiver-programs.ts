import node from '../../../examples/receiver/receiver.ts?url'
import goKeySet from '../../../examples/receivers/go/key_set.go?url'
import goMain from '../../../examples/receivers/go/main.go?url'
import goVerify from '../../../examples/receivers/go/verify.go?url'
import phpKeySet from '../../../examples/receivers/php/key_set.php?url'
import php from '../../../examples/receivers/php/receiver.php?url'
import python from '../../../examples/receivers/receiver.py?url'
import ruby from '../../../examples/receivers/receiver.rb?url'

export type Program = {
  language: string
  /** What it needs besides the language. */
  needs: string
  /** How it is started, in the folder of its files. */
  command: string
  /** Where each of its files is to be had, beside the scripts of the console. */
  files: readonly { name: string; url: string }[]
}

/** The receivers of `examples/`, which are tested there. */
export const programs: readonly Program[] = [
  {
    language: 'Node',
    needs:
      'Node 24 or later, and the library @signet/webhooks of this repository, as docs/use/receiving-webhooks.md says.',
    command: 'node receiver.ts',
    files: [{ name: 'receiver.ts', url: node }],
  },
  {
    language: 'Python',
    needs: 'PyJWT and cryptography: apt-get install python3-jwt python3-cryptography',
    command: 'python3 receiver.py',
    files: [{ name: 'receiver.py', url: python }],
  },
  {
    language: 'Go',
    needs: 'The standard library alone.',
    command: 'go run main.go verify.go key_set.go',
    files: [
      { name: 'main.go', url: goMain },
      { name: 'verify.go', url: goVerify },
      { name: 'key_set.go', url: goKeySet },
    ],
  },
  {
    language: 'PHP',
    needs:
      'PHP 8 without libraries. Its own server speaks no TLS: in production nginx or Apache stands in front of PHP-FPM.',
    command: 'php -S 127.0.0.1:9080 receiver.php',
    files: [
      { name: 'receiver.php', url: php },
      { name: 'key_set.php', url: phpKeySet },
    ],
  },
  {
    language: 'Ruby',
    needs: 'The gems jwt and webrick: apt-get install ruby ruby-jwt ruby-webrick',
    command: 'ruby receiver.rb',
    files: [{ name: 'receiver.rb', url: ruby }],
  },
]
