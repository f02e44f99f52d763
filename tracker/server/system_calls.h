// The system calls of the server that can fail, as a table of functions: a test
// puts its own in their place to bring faults about. A call through the table costs
// one indirect jump, nothing beside the call itself.

#ifndef SEPTET_TRACKER_SERVER_SYSTEM_CALLS_H_
#define SEPTET_TRACKER_SERVER_SYSTEM_CALLS_H_

#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

namespace septet::tracker {

// Each member has the contract of the function of its name: see its manual page.
// Copy RealSystemCalls() and change members. All are called from any thread.
struct SystemCalls {
  int (*socket)(int domain, int type, int protocol) = ::socket;
  int (*setsockopt)(int fd, int level, int name, const void* value, socklen_t size) = ::setsockopt;
  int (*bind)(int fd, const sockaddr* address, socklen_t size) = ::bind;
  int (*listen)(int fd, int backlog) = ::listen;
  int (*getsockname)(int fd, sockaddr* address, socklen_t* size) = ::getsockname;
  int (*accept4)(int fd, sockaddr* address, socklen_t* size, int flags) = ::accept4;
  ssize_t (*recv)(int fd, void* bytes, size_t size, int flags) = ::recv;
  ssize_t (*send)(int fd, const void* bytes, size_t size, int flags) = ::send;
  int (*recvmmsg)(int fd, mmsghdr* messages, unsigned count, int flags,
                  timespec* timeout) = ::recvmmsg;
  int (*sendmmsg)(int fd, mmsghdr* messages, unsigned count, int flags) = ::sendmmsg;
  int (*shutdown)(int fd, int how) = ::shutdown;
  int (*close)(int fd) = ::close;
  int (*epoll_create1)(int flags) = ::epoll_create1;
  int (*epoll_ctl)(int epoll, int operation, int fd, epoll_event* event) = ::epoll_ctl;
  int (*epoll_wait)(int epoll, epoll_event* events, int count, int timeout_ms) = ::epoll_wait;
  int (*eventfd)(unsigned value, int flags) = ::eventfd;
  ssize_t (*read)(int fd, void* bytes, size_t size) = ::read;
  ssize_t (*write)(int fd, const void* bytes, size_t size) = ::write;
  int (*open)(const char* path, int flags, mode_t mode) = OpenFile;
  int (*fstat)(int fd, struct stat* status) = ::fstat;
  int (*flock)(int fd, int operation) = ::flock;
  int (*fsync)(int fd) = ::fsync;
  int (*rename)(const char* from, const char* to) = ::rename;
  int (*unlink)(const char* path) = ::unlink;
  ssize_t (*getrandom)(void* bytes, size_t size, unsigned flags) = ::getrandom;
  int (*clock_gettime)(clockid_t clock, timespec* time) = ::clock_gettime;

 private:
  // open takes its mode as a variable argument.
  static int OpenFile(const char* path, int flags, mode_t mode) {
    return ::open(path, flags, mode);
  }
};

// The kernel's. Lives for ever.
const SystemCalls& RealSystemCalls();

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_SERVER_SYSTEM_CALLS_H_
