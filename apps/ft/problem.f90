!> The problem classes of NAS FT (D. Bailey et al., The NAS Parallel Benchmarks, report RNR-94-007, section 2.8; later
!> publications define S, W and B), and the checksums that NASA has published for each iteration. Pure.
module problem
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: class_of, class_name, published_checksum, points_of

  type, public :: problem_class
    integer :: number      !< index in class_names, from 1
    integer :: points(3)   !< along x, y, z: powers of two
    integer :: iterations
  end type

  character(len=*), parameter, public :: class_names = 'S W A B'

  type(problem_class), parameter :: classes(4) = [ &
    problem_class(1, [64, 64, 64], 6), problem_class(2, [128, 128, 32], 6), &
    problem_class(3, [256, 256, 128], 6), problem_class(4, [512, 256, 256], 20)]

  complex(real64), parameter :: checksums_of_s(6) = [ &
    (554.6087004964_real64, 484.5363331978_real64), (554.6385409189_real64, 486.5304269511_real64), &
    (554.6148406171_real64, 488.3910722336_real64), (554.5423607415_real64, 490.1273169046_real64), &
    (554.4255039624_real64, 491.7475857993_real64), (554.2683411902_real64, 493.2597244941_real64)]
  complex(real64), parameter :: checksums_of_w(6) = [ &
    (567.3612178944_real64, 529.3246849175_real64), (563.1436885271_real64, 528.2149986629_real64), &
    (559.4024089970_real64, 527.0996558037_real64), (556.0698047020_real64, 526.0027904925_real64), &
    (553.0898991250_real64, 524.9400845633_real64), (550.4159734538_real64, 523.9212247086_real64)]
  complex(real64), parameter :: checksums_of_a(6) = [ &
    (504.6735008193_real64, 511.4047905510_real64), (505.9412319734_real64, 509.8809666433_real64), &
    (506.9376896287_real64, 509.8144042213_real64), (507.7892868474_real64, 510.1336130759_real64), &
    (508.5233095391_real64, 510.4914655194_real64), (509.1487099959_real64, 510.7917842803_real64)]
  complex(real64), parameter :: checksums_of_b(20) = [ &
    (517.7643571579_real64, 507.7803458597_real64), (515.4521291263_real64, 508.8249431599_real64), &
    (514.6409228649_real64, 509.6208912659_real64), (514.2378756213_real64, 510.1023387619_real64), &
    (513.9626667737_real64, 510.3976610617_real64), (513.7423460082_real64, 510.5948019802_real64), &
    (513.5547056878_real64, 510.7404165783_real64), (513.3910925466_real64, 510.8576573661_real64), &
    (513.2470705390_real64, 510.9577278523_real64), (513.1197729984_real64, 511.0460304483_real64), &
    (513.0070319283_real64, 511.1252433800_real64), (512.9070537032_real64, 511.1968077718_real64), &
    (512.8182883502_real64, 511.2616233064_real64), (512.7393733383_real64, 511.3203605551_real64), &
    (512.6691062020_real64, 511.3735928093_real64), (512.6064276004_real64, 511.4218460548_real64), &
    (512.5504076570_real64, 511.4656139760_real64), (512.5002331720_real64, 511.5053595966_real64), &
    (512.4551951846_real64, 511.5415130407_real64), (512.4146770029_real64, 511.5744692211_real64)]

contains

  !> The class with index \p number in class_names, from 1.
  pure type(problem_class) function class_of(number) result(class)
    integer, intent(in) :: number
    class = classes(number)
  end function

  pure character(len=1) function class_name(class) result(name)
    type(problem_class), intent(in) :: class
    name = class_names(2*class%number - 1:2*class%number - 1)
  end function

  !> Number of grid points of all processes together.
  pure integer(int64) function points_of(class) result(points)
    type(problem_class), intent(in) :: class
    points = product(int(class%points, int64))
  end function

  !> Published checksum after \p step steps, from 1 to class%iterations.
  pure complex(real64) function published_checksum(class, step) result(checksum)
    type(problem_class), intent(in) :: class
    integer, intent(in) :: step
    select case (class_name(class))
    case ('S')
      checksum = checksums_of_s(step)
    case ('W')
      checksum = checksums_of_w(step)
    case ('A')
      checksum = checksums_of_a(step)
    case default
      checksum = checksums_of_b(step)
    end select
  end function

end module problem
