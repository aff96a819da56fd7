import type { Image } from './build.ts'

/**
 * The command that runs `command` in the image as its own user, with its file system read-only and an empty /tmp, in the network of this
 * machine, by `unshare` and `chroot`. The environment is that of the image and `environment`. A signal reaches the command itself.
 */
export function runIn({ root, config }: Image, command: string[], environment: Record<string, string>) {
  const setUp = [
    'mount --bind "$ROOT" "$ROOT"',
    'mount -t proc proc "$ROOT/proc"',
    'mount --bind /dev "$ROOT/dev"',
    'mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"',
    'mount -o remount,bind,ro "$ROOT"',
    'exec chroot --userspec="$USER_OF_IMAGE" --groups= "$ROOT" env -i "$@"',
  ].join(' && ')
  const given = Object.entries(environment).map(([key, value]) => `${key}=${value}`)
  const inside = [`--chdir=${config.WorkingDir}`, ...config.Env, ...given, ...command]
  return {
    command: ['unshare', '--mount', 'sh', '-c', setUp, 'sh', ...inside],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ROOT: root, USER_OF_IMAGE: config.User },
  }
}
