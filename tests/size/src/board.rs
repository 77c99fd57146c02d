//! The least that a Cortex-M4 under qemu needs: vectors, semihosting, and a painted stack.

use core::arch::asm;

unsafe extern "C" {
    static stack_bottom: u32;
    static stack_top: u32;
}

#[repr(C)]
struct Vectors {
    stack: *const u32,
    handlers: [extern "C" fn() -> !; 15],
}

// SAFETY: the table lies in flash; nobody writes to it, and the pointer is only read by the processor.
unsafe impl Sync for Vectors {}

#[unsafe(link_section = ".vectors")]
#[used]
static VECTORS: Vectors = Vectors {
    stack: &raw const stack_top,
    handlers: [reset, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault],
};

#[unsafe(no_mangle)]
extern "C" fn reset() -> ! {
    exit(crate::run())
}

extern "C" fn fault() -> ! {
    exit(102)
}

/// A semihosting call: qemu carries it out on the host.
fn semihost(operation: u32, argument: *const u8) {
    // SAFETY: the breakpoint is the semihosting trap; `argument` is valid for the operation at each call below.
    unsafe { asm!("bkpt 0xAB", inout("r0") operation => _, in("r1") argument, options(nostack)) }
}

/// Ends qemu with this exit code.
pub fn exit(code: u32) -> ! {
    let block = [0x20026u32, code]; // ADP_Stopped_ApplicationExit
    loop {
        semihost(0x20, block.as_ptr().cast()); // SYS_EXIT_EXTENDED
    }
}

/// Prints `name=value` and a line end.
pub fn report(name: &core::ffi::CStr, value: u32) {
    semihost(4, name.as_ptr().cast()); // SYS_WRITE0
    let mut digits = *b"=0000000000\n\0";
    let mut rest = value;
    for digit in digits.iter_mut().skip(1).take(10).rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    semihost(4, digits.as_ptr());
}

const PAINT: u32 = 0x5AFE_C0DE;

/// Runs `work` and returns how many bytes of stack it used below its caller.
#[inline(never)]
pub fn stack_of(work: &mut dyn FnMut()) -> u32 {
    let here: *mut u32;
    // SAFETY: reads the stack pointer and nothing else.
    unsafe { asm!("mov {}, sp", out(reg) here, options(nomem, nostack)) };
    let bottom = (&raw const stack_bottom).cast_mut();
    // SAFETY: from the bottom of RAM up to the stack pointer nothing is in use: there are no statics in RAM.
    unsafe {
        let mut at = bottom;
        while at < here {
            at.write_volatile(PAINT);
            at = at.add(1);
        }
        work();
        let mut at = bottom;
        while at < here && at.read_volatile() == PAINT {
            at = at.add(1);
        }
        here.byte_offset_from(at) as u32
    }
}

#[panic_handler]
fn on_panic(_: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(feature = "proof")]
    {
        unsafe extern "C" {
            fn a_panic_is_reachable() -> !;
        }
        // SAFETY: never runs. If this call is left in, the program does not link.
        unsafe { a_panic_is_reachable() }
    }
    #[cfg(not(feature = "proof"))]
    exit(101)
}
